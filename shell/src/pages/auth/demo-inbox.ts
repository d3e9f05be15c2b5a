import { useEffect, useState } from 'react';

/** The page of the embedded demo with the mails it would have sent (product decisions, "Verification codes and e-mail"). */
export const DEMO_INBOX = '/dev/inbox';
/** What the inbox says of itself: elsewhere its address shows the home page like any unknown one. */
const INBOX_HEADER = 'x-demo-inbox';

/** Whether mails of this installation lie in a demo inbox. Any doubt is a no. */
async function hasDemoInbox(): Promise<boolean> {
  try {
    const answer = await fetch(DEMO_INBOX, { method: 'HEAD', headers: { Accept: 'text/html' } });
    return answer.ok && answer.headers.has(INBOX_HEADER);
  } catch {
    return false;
  }
}

export function useDemoInbox(): boolean {
  const [isThere, setThere] = useState(false);
  useEffect(() => {
    let isWanted = true;
    void hasDemoInbox().then((answer) => {
      if (isWanted) setThere(answer);
    });
    return () => {
      isWanted = false;
    };
  }, []);
  return isThere;
}
