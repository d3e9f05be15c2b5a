import { useState } from 'react';
import type { UserView } from '@alpenglow/domain/contracts';
import { useHost, useUser } from '@alpenglow/ui';

export interface Viewer {
  /** Who the form is for: whoever is signed in, and still they when the session ends under it; null for a guest. */
  readonly user: UserView | null;
  readonly isSignedIn: boolean;
  /** Nobody is signed in, and that is known for certain. */
  readonly isSignedOut: boolean;
}

/** Who writes here. A session that ends takes nothing away of what stands in the form. */
export function useViewer(): Viewer {
  const { session } = useHost();
  const user = useUser();
  const [last, setLast] = useState(user);
  if (user && user !== last) setLast(user);
  return { user: user ?? last, isSignedIn: user !== null, isSignedOut: session.state === 'anonymous' };
}
