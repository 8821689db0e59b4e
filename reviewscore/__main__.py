"""Run the command line with ``python -m reviewscore``."""

from reviewscore.cli.main import main

if __name__ == "__main__":
    main()
