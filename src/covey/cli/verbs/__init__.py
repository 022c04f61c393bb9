"""One file per verb: it reads arguments, asks the library, prints."""
