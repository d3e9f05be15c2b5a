import { eventually } from './eventually.ts';

/**
 * Searches the demo inbox for mails to an address. Returns the newest 6-digit code in them. Ignores mails whose subject
 * does not contain `subject`.
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
