import { MailRejected, type MailTransport } from '@alpenglow/domain';
import { registerCounter, type Metrics } from './metrics.ts';

const RESULTS = ['sent', 'rejected', 'unavailable'] as const;
type MailResult = (typeof RESULTS)[number];

/** Registers the counter of attempts to send a mail. Returns the function that counts one. */
export function registerMailMetrics(registry: Metrics): (result: MailResult) => void {
  const count = registerCounter(
    registry,
    'mails_total',
    'Attempts to send a mail: accepted by the mail server (sent), rejected for ever, or without a result (unavailable)',
    ['result'],
    RESULTS.map((result) => ({ result })),
  );
  return (result) => count({ result });
}

/** Returns a transport that sends mails with `transport` and passes the result of each attempt to `count`. */
export function countMails(transport: MailTransport, count: (result: MailResult) => void): MailTransport {
  return {
    sendTimeout_ms: transport.sendTimeout_ms,
    detectsDuplicates: transport.detectsDuplicates,
    async send(mail) {
      try {
        const receipt = await transport.send(mail);
        count('sent');
        return receipt;
      } catch (error) {
        count(error instanceof MailRejected ? 'rejected' : 'unavailable');
        throw error;
      }
    },
    close: () => transport.close(),
  };
}
