import { useState } from 'react';
import { useHost, useUser } from '@alpenglow/ui';

/**
 * Returns the user of the form, or null for a guest. If the session ends, the user is still returned, so that the form
 * does not change. `isSignedOut` is true if the visitor is certainly signed out.
 */
export function useViewer() {
  const { session } = useHost();
  const user = useUser();
  const [lastUser, setLastUser] = useState(user);
  if (user && user !== lastUser) setLastUser(user);
  return { user: user ?? lastUser, isSignedIn: user !== null, isSignedOut: session.state === 'anonymous' };
}
