// Describes events of a log in words.
import type { CommandEvent, LogEvent } from "../messages";
import { CommandKind } from "../world";
import { rough } from "./numbers";

const ROLES = ["watch", "play", "admin"];
const PARAMETERS = ["gravity", "attraction"];

// Returns what happened. `nameOf` names a body. `unit` is the unit of speed, after a space.
export function eventText(event: LogEvent, nameOf: (id: number) => string, unit: string): string {
  if (event.kind !== "hit") return commandText(event, nameOf);
  return `${nameOf(event.a)} hits ${nameOf(event.b)}, ${rough(event.speed)}${unit}`;
}

function commandText(event: CommandEvent, nameOf: (id: number) => string): string {
  const { command, client, subject, role, account, key, text } = event;
  const who = client === 0 ? "the server" : `client ${client}`;
  switch (command) {
    case CommandKind.JOIN: return `client ${subject} joins as ${ROLES[role]}`;
    case CommandKind.LEAVE: return `client ${subject} leaves`;
    case CommandKind.THRUST: return `${who} thrusts ${nameOf(subject)}`;
    case CommandKind.TORQUE: return `${who} turns ${nameOf(subject)}`;
    case CommandKind.IMPULSE: return `${who} kicks ${nameOf(subject)}`;
    case CommandKind.GRAB: return `${who} grabs ${nameOf(subject)}`;
    case CommandKind.RELEASE: return `${who} lets go`;
    case CommandKind.SPAWN: return `${who} adds a copy of ${nameOf(subject)}`;
    case CommandKind.REMOVE: return `${who} removes ${nameOf(subject)}`;
    case CommandKind.SET_PARAMETER: return `${who} sets ${PARAMETERS[subject] ?? "a parameter"}`;
    case CommandKind.SET_CONTROL: return `${who} sets who may command ${nameOf(subject)}`;
    case CommandKind.SET_VELOCITY: return `${who} sets the velocity of ${nameOf(subject)}`;
    case CommandKind.MOVE_TO: return `${who} moves ${nameOf(subject)}`;
    case CommandKind.PLACE: return `${who} places ${nameOf(subject)}`;
    case CommandKind.SET_MOTOR: return `${who} drives joint ${subject}`;
    case CommandKind.SET_TARGET: return `${who} sets the target of joint ${subject}`;
    case CommandKind.SET_FILTER: return `${who} sets what ${nameOf(subject)} touches`;
    case CommandKind.SET_GRAVITY_SCALE: return `${who} sets the gravity on ${nameOf(subject)}`;
    case CommandKind.SET_VALUE: return `${who} sets ${key} to "${text}"`;
    case CommandKind.MESSAGE: return `${who} says "${text}"`;
    case CommandKind.TELL:
      return `${who} tells ${subject === 0 ? "all" : `client ${subject}`} "${text}"`;
    case CommandKind.KICK: return `${who} removes client ${subject}: "${text}"`;
    case CommandKind.BAN: return `${who} bans client ${subject}: "${text}"`;
    case CommandKind.DISOWN: return `account ${account} loses what it added: it was away too long`;
    default: return `${who} gives a command of kind ${command}`;
  }
}
