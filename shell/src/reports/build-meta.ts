/** The name of the `<meta>` element with the hash of the shell's build. The server writes it into the first HTML. */
export const BUILD_META = 'alpenglow-build';
