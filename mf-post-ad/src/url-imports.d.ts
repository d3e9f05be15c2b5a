/** Importing a file with `?url` returns its URL. The build emits the file separately. */
declare module '*?url' {
  const url: string;
  export default url;
}
