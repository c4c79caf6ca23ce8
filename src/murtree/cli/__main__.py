"""``python -m murtree.cli``, if the script ``murtree`` is not on the path."""

from murtree.cli import main

if __name__ == "__main__":
    main()
