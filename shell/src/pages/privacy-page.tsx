import { MAIL_VALUES, MailLink } from './reading/mail-link.tsx';
import { StoredOnDevice } from './reading/stored-on-device.tsx';
import { TextPage } from './reading/text-page.tsx';
import { RichText, useText } from './text.ts';

/** To be moved on with every change of what the page says. */
const CHANGED = '2026-11-21';

/** Says what is so: what is stored where is decided in infra/decisions (0004, 0007, 0012, 0024, 0027, 0035) and `reading/stored-on-device.tsx`. */
export default function PrivacyPage() {
  const t = useText();
  return (
    <TextPage
      title={t('privacy.title')}
      intro={t('privacy.intro')}
      changed={CHANGED}
      sections={[
        {
          id: 'hold',
          title: t('privacy.hold.title'),
          body: (
            <dl>
              <dt>{t('privacy.account')}</dt>
              <dd>{t('privacy.accountText')}</dd>
              <dt>{t('privacy.ad')}</dt>
              <dd>{t('privacy.adText')}</dd>
              <dt>{t('privacy.contact')}</dt>
              <dd>{t('privacy.contactText')}</dd>
              <dt>{t('privacy.marks')}</dt>
              <dd>{t('privacy.marksText')}</dd>
              <dt>{t('privacy.community')}</dt>
              <dd>{t('privacy.communityText')}</dd>
              <dt>{t('privacy.reports')}</dt>
              <dd>{t('privacy.reportsText')}</dd>
              <dt>{t('privacy.visits')}</dt>
              <dd>{t('privacy.visitsText')}</dd>
            </dl>
          ),
        },
        {
          id: 'device',
          title: t('privacy.device.title'),
          body: (
            <>
              <p>{t('privacy.device.intro')}</p>
              <StoredOnDevice />
              <p>{t('privacy.device.choice')}</p>
            </>
          ),
        },
        {
          id: 'not',
          title: t('privacy.not.title'),
          body: (
            <ul>
              <li>{t('privacy.not.1')}</li>
              <li>{t('privacy.not.2')}</li>
              <li>{t('privacy.not.3')}</li>
            </ul>
          ),
        },
        {
          id: 'long',
          title: t('privacy.long.title'),
          body: (
            <dl>
              <dt>{t('privacy.long.ad')}</dt>
              <dd>{t('privacy.long.adText')}</dd>
              <dt>{t('privacy.long.posts')}</dt>
              <dd>{t('privacy.long.postsText')}</dd>
              <dt>{t('privacy.long.account')}</dt>
              <dd>{t('privacy.long.accountText')}</dd>
              <dt>{t('privacy.long.session')}</dt>
              <dd>{t('privacy.long.sessionText')}</dd>
              <dt>{t('privacy.long.history')}</dt>
              <dd>{t('privacy.long.historyText')}</dd>
            </dl>
          ),
        },
        { id: 'safe', title: t('privacy.safe.title'), body: <p>{t('privacy.safe')}</p> },
        {
          id: 'rights',
          title: t('privacy.rights.title'),
          body: (
            <>
              <p>{t('privacy.rights.intro')}</p>
              <ul>
                <li>{t('privacy.rights.1')}</li>
                <li>{t('privacy.rights.2')}</li>
                <li>{t('privacy.rights.3')}</li>
                <li>{t('privacy.rights.4')}</li>
              </ul>
              <p>
                <RichText id="privacy.rights.how" values={MAIL_VALUES} components={{ mail: <MailLink /> }} />
              </p>
            </>
          ),
        },
      ]}
    />
  );
}
