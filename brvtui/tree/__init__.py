"""A project on disk, in rooms by subject: ``reading``, ``editing``, ``saving``, ``watching``, ``engine_files``.

No scores, no UI.
"""
