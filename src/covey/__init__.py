"""covey: how much does a team of robots give away when somebody looks at it?

The public names are those of the stub beside this file. They are imported when they are first used,
so that `import covey` costs nothing.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
