import type { MailTransport } from '@alpenglow/domain';
import type { MailConfig } from '../../config.ts';

/** The transport the configuration names; null where mails stay in the inbox. A send takes as long as each allows, unless told. */
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
