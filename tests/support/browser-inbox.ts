import { eventually } from './eventually.ts';

/**
 * Reads the newest 6-digit code that was mailed to an address from the demo inbox. Only mails whose subject contains
 * `subject` are read.
 */
export function newestCode(url: string, address: string, subject = ''): Promise<string> {
  return eventually(async () => {
    const mails = (await (await fetch(`${url}/dev/inbox`)).text())
      .split('<article>')
      .filter((mail) => mail.includes(address) && mail.includes(subject));
    const code = /\b(\d{6})\b/u.exec(mails[0]?.replaceAll(/<[^>]*>/gu, ' ') ?? '')?.[1];
    if (code === undefined) throw new Error(`No mail to ${address} arrived`);
    return code;
  });
}
