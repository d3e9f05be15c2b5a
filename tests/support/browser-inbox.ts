import { eventually } from './eventually.ts';

/** The newest 6-digit code mailed to an address, as the demo inbox shows it; with words of its subject where there are others. */
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
