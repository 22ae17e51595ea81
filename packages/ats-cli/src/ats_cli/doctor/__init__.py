"""What `ats doctor` looks at: one family of checks a file.

No code of others runs in the command's own process: `children` loads each entry point, and asks the chosen adapter, in
processes of their own, which may hang or die; `probes` is what happens there.
"""
