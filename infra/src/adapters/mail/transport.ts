import type { MailTransport } from '@alpenglow/domain';
import type { MailConfig } from '../../service/config.ts';

/**
 * Opens the mail transport that the configuration selects. Returns null for the kind `inbox`, which only stores mails
 * in a table for developers. `limits` replaces the time limit of the transport.
 */
export async function openMailTransport(
  mail: MailConfig,
  limits: { readonly sendLimit_ms?: number } = {},
): Promise<MailTransport | null> {
  switch (mail.kind) {
    case 'inbox':
      return null;
    case 'smtp': {
      const { createSmtpTransport } = await import('./smtp.ts');
      return createSmtpTransport({ ...mail, ...limits });
    }
    case 'service': {
      const { createMailServiceTransport } = await import('./mail-service.ts');
      return createMailServiceTransport({ ...mail, ...limits });
    }
  }
}
