/** A file the build emits as it stands: its address. */
declare module '*?url' {
  const url: string;
  export default url;
}
