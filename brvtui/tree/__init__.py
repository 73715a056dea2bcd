"""A project on disk, by subject: ``reading``, ``editing``, ``saving``, ``watching``, ``engine_files``.

No scores, no UI.
"""
