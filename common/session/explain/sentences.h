// The sentences of a divergence report. Programs may compare them in JSON, so they must not change.
#pragma once

// The comment at the end of a line names the values for {}, in their order. A text in quotes is an
// example of the value.
namespace orrery::session::sentence {

// --- Cause::scene, rules, length: the logs as wholes ---

inline constexpr const char* kScenesDiffer =  // a sentence about each scene
    "two scenes cannot be compared tick by tick: {}; {}";
inline constexpr const char* kScene =  // log, name, bodies, rate
    "{} is of {}, {} bodies at {} Hz";
inline constexpr const char* kSceneUnusable = "{} {}";  // log, reason
inline constexpr const char* kRulesDiffer = "{}; {}";   // a sentence about the rules of each log
inline constexpr const char* kOurRules =                // log
    "{} was recorded under the rules of this build";
inline constexpr const char* kOtherRules = "{} was recorded under {}";  // log, rules
inline constexpr const char* kLengthsDiffer =                           // a sentence about each end
    "the ticks that both have are equal; {}, {}";
inline constexpr const char* kEnd = "{} ends behind tick {}";             // log, tick
inline constexpr const char* kFaultyEnd = "{} ends behind tick {} ({})";  // log, tick, fault

// --- Cause::fault ---

inline constexpr const char* kFault = "{} was recorded with --break {}";  // log, fault

// --- Cause::commands ---

inline constexpr const char* kCommandInAOnly = "b lacks a command of a";
inline constexpr const char* kCommandInBOnly = "a lacks a command of b";
inline constexpr const char* kCommandsInAOnly = "b lacks {} commands of a";  // count
inline constexpr const char* kCommandsInBOnly = "a lacks {} commands of b";  // count
inline constexpr const char* kCommandsDiffer = "the commands of the tick differ";
// The next two sentences are for ticks with equal hashes. One of the sentences above replaces their
// first {}.
inline constexpr const char* kHashesAreEqual = "{}; the hashes are equal all the same";  // sentence
inline constexpr const char* kCommandsWereChanged =  // sentence, log, log
    "{}; the hashes are equal all the same, but the commands of {} lead to another: log {} was "
    "changed after it was recorded";
inline constexpr const char* kIdleCommands =
    "recorded are commands that change nothing here: they were applied to another state, or added "
    "to the log";

// --- Cause::checkpoint ---

inline constexpr const char* kCheckpointsDiffer =
    "hashes and commands are equal: what differs is a checkpoint of the tick";
inline constexpr const char* kCheckpoint =  // log, its fault
    "the checkpoint of the tick in {} {} (an edited log, or memory that failed as it was recorded)";
inline constexpr const char* kBothCheckpoints =  // fault in a, fault in b
    "the checkpoint of the tick in a {}, and that in b {} (an edited log, or memory that failed as "
    "it was recorded)";
// The faults of a checkpoint.
inline constexpr const char* kIsUnreadable = "cannot be read: {}";  // reason
inline constexpr const char* kHoldsAnotherState =
    "holds another state than the hash of that tick says";
inline constexpr const char* kHasAnotherHash = "has another hash than that tick";
// A reason in kIsUnreadable.
inline constexpr const char* kIsOfAnotherTick = "it is of tick {}";  // tick

// --- Cause::swap, number, build, machine ---

inline constexpr const char* kSwap = "bodies {} and {} have each other's state";  // two bodies
inline constexpr const char* kNumber =                                            // "3 ulps"
    "one number of one body differs, by {}, and nothing else: no rule of the simulation does that, "
    "but memory that fails, a write from elsewhere, or an edited log does";
inline constexpr const char* kNumberByOneBit =  // "4 ulps"
    "one number of one body differs, by {}, one bit of it, and nothing else: no rule of the "
    "simulation does that, but memory that fails, a write from elsewhere, or an edited log does";
inline constexpr const char* kBuilds =  // build of a, build of b
    "two builds: {}, and {}; look at compiler flags (-ffast-math, -ffp-contract), at the library, "
    "and for a log that was changed";
inline constexpr const char* kMachine =
    "commands or a hash were changed after they were recorded, or a machine computes otherwise, by "
    "its floating-point environment (rounding, flush to zero), a race of threads, memory that "
    "fails, or a program that was changed without a name of its own";

// --- Unknown ticks and states ---

inline constexpr const char* kTicksAreLost =  // sentence, log, first tick, last tick
    "{}; {} has lost ticks {} to {}, and it may be any of these from which on they differ";
inline constexpr const char* kStateIsUnknown =  // log
    "log {} has only a hash of this state, and no single change to the state that this build "
    "computes gives that hash";
inline constexpr const char* kNoStateBefore = "there is no state before state 0";
inline constexpr const char* kHasNoTick = "has no tick {}";  // tick
inline constexpr const char* kUnplayable = "log {} {}";      // log, reason

}  // namespace orrery::session::sentence
