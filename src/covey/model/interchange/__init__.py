"""Other programs' models: SBML is read and written, PRISM is written."""
