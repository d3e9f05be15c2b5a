/** The configuration points this name at the `./App` of the remote that is being developed. */
declare module 'remote-under-development' {
  import type { ComponentType } from 'react';
  import type { RemoteProps } from '@alpenglow/ui';
  const App: ComponentType<RemoteProps>;
  export default App;
}
