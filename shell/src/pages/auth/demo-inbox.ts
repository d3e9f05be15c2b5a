import { useEffect, useState } from 'react';

/** Path of a page in the demo that shows the mails which the product would have sent. */
export const DEMO_INBOX = '/dev/inbox';
/** Response header of the demo inbox. Without a demo, the path returns the home page, which has no such header. */
const INBOX_HEADER = 'x-demo-inbox';

async function hasDemoInbox(): Promise<boolean> {
  try {
    const response = await fetch(DEMO_INBOX, { method: 'HEAD', headers: { Accept: 'text/html' } });
    return response.ok && response.headers.has(INBOX_HEADER);
  } catch {
    return false;
  }
}

export function useDemoInbox(): boolean {
  const [isAvailable, setAvailable] = useState(false);
  useEffect(() => {
    let isMounted = true;
    void hasDemoInbox().then((hasInbox) => {
      if (isMounted) setAvailable(hasInbox);
    });
    return () => {
      isMounted = false;
    };
  }, []);
  return isAvailable;
}
