/** The generated types of a remote. `check-types.mjs` defines the path of this module. */
declare module 'remote-types/App' {
  import type { ComponentType } from 'react';
  import type { RemoteProps } from '@alpenglow/ui';
  const App: ComponentType<RemoteProps>;
  export default App;
}
