import { useState } from 'react';
import { useHost, useUser } from '@alpenglow/ui';

/**
 * Returns the user of the form, or null for a guest. After the end of a session, the hook still returns the last user,
 * so that the form does not change. `isSignedOut` is true if the visitor is certainly signed out.
 */
export function useViewer() {
  const { session } = useHost();
  const user = useUser();
  const [lastUser, setLastUser] = useState(user);
  if (user && user !== lastUser) setLastUser(user);
  return { user: user ?? lastUser, isSignedIn: user !== null, isSignedOut: session.state === 'anonymous' };
}
