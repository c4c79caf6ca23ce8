"""Settings of the documentation: `make docs` builds it into build/docs.

All it needs is on this machine: no fonts, scripts or inventories from elsewhere.
"""

import murtree

project = "murtree"
author = "The murtree developers"
project_copyright = "2026, the murtree developers"
version = release = murtree.__version__

extensions = [
    "matplotlib.sphinxext.plot_directive",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
default_role = "py:obj"  # `Solver` in a docstring links to it
highlight_language = "text"  # indented blocks are shell or pictures; fences name theirs

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_typehints = "none"  # the docstrings name the types in words
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"  # the class is the title of its page
autosummary_generate = True  # a page for each public name, from _templates
numpydoc_show_class_members = False  # autodoc lists them
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

plot_formats = [("png", 200)]
plot_html_show_formats = False
plot_html_show_source_link = False
plot_include_source = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"demo\.py",
    "within_subsection_order": "FileNameSortKey",
    "backreferences_dir": "auto_examples/uses",
    "doc_module": ("murtree",),
    "reference_url": {"murtree": None},  # names in the code link to the API
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,
    "thumbnail_size": (480, 336),
}

html_theme = "pydata_sphinx_theme"
html_title = f"murtree {release}"
html_show_sourcelink = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
# Pages that stand alone have no pages beside them to list.
html_sidebars = {
    page: []
    for page in (
        "index",
        "install",
        "quickstart",
        "cli",
        "auto_examples/*",
        "architecture",
        "comparison",
        "benchmarks",
        "contributing",
        "changelog",
    )
}
html_theme_options = {
    "logo": {"text": "murtree"},
    "header_links_before_dropdown": 7,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
