"""Does what was installed keep its promises here? Checked in a process that has no network."""
