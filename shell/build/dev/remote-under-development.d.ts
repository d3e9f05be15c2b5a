/** The `./App` component of the remote under development. The build configuration defines this module name. */
declare module 'remote-under-development' {
  import type { ComponentType } from 'react';
  import type { RemoteProps } from '@alpenglow/ui';
  const App: ComponentType<RemoteProps>;
  export default App;
}
