"""`python -m covey` is `covey`."""

from covey.cli import main

main()
