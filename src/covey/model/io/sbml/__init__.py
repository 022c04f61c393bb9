"""SBML models, read and written; loaded when they are asked for."""
