import type { MailTransport } from '@alpenglow/domain';
import type { MailConfig } from '../../config.ts';

/** The transport the configuration names; null where mails stay in the inbox. */
export async function openMailTransport(mail: MailConfig): Promise<MailTransport | null> {
  switch (mail.kind) {
    case 'inbox':
      return null;
    case 'smtp': {
      const { createSmtpTransport } = await import('./smtp.ts');
      return createSmtpTransport(mail);
    }
    case 'service': {
      const { createMailServiceTransport } = await import('./mail-service.ts');
      return createMailServiceTransport(mail);
    }
  }
}
