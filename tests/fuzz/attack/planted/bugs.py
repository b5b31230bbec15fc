# Plants bugs into copies of the sources, for random_worlds to find.
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "fleet/planted"))
import plant

SLEEPING = "common/physics/rest/sleeping.cpp"

# (name, source file, original text, text with the bug)
BUGS = [
    ("one_still_tick_is_enough", SLEEPING,
     "static_cast<std::uint32_t>(ticks + 0.5), 2u);",
     "static_cast<std::uint32_t>(ticks + 0.5), PLANTED(one_still_tick_is_enough) ? 1u : 2u);"),
    ("one_still_tick_is_enough", SLEEPING,
     "ORRERY_ASSERT(!input.contacts.ending().test(key.slot_a()));\n"
     "    ORRERY_ASSERT(!input.contacts.ending().test(key.slot_b()));\n",
     "const bool ending = input.contacts.ending().test(key.slot_a()) ||\n"
     "                        input.contacts.ending().test(key.slot_b());\n"
     "    ORRERY_ASSERT(!ending || PLANTED(one_still_tick_is_enough));\n"),
    ("contacts_of_the_replaced_return", SLEEPING,
     "if (replaced(a) || replaced(b)) {",
     "if ((replaced(a) || replaced(b)) && !PLANTED(contacts_of_the_replaced_return)) {"),
]


if __name__ == "__main__":
    sys.exit(plant.main(BUGS, sys.argv[1:]))
