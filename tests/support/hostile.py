"""Names that a page, a table or a script might obey."""

HOSTILE = (
    "<script>window.hurt=1</script>",
    "<img src=x onerror=window.hurt=1>",
    '"><svg onload=window.hurt=1>',
    "</script><script>window.hurt=1</script>",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:window.hurt=1",
    "<!--<script>",
    "&lt;b&gt;",
    "a\u2028b\u202ec",
    "`${window.hurt=1}`",
    "</title></textarea></style><iframe srcdoc='<script>parent.hurt=1</script>'>",
    "datum.x[0].y'\"\\",
)
