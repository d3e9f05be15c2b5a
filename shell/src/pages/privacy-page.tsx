import { Button } from '@alpenglow/ui';
import { forgetCookieChoice } from '../gates/use-consent.ts';
import { StoredOnDevice } from './reading/stored-on-device.tsx';
import { TextPage } from './reading/text-page.tsx';
import { MailText, TermList, TextList } from './reading/text-parts.tsx';
import { useText } from './text.ts';

/** The date of the last change of the text. Update it with every change. */
const CHANGED = '2026-11-30';

/**
 * The privacy page, which must describe the actual behavior. docs/decisions (0004, 0007, 0012, 0024, 0027, 0035, 0092)
 * and `reading/stored-on-device.tsx` define which data is stored where.
 */
export default function PrivacyPage() {
  const t = useText();
  return (
    <TextPage
      title={t('privacy.title')}
      intro={t('privacy.intro')}
      changed={CHANGED}
      sections={[
        {
          id: 'privacy.hold',
          body: (
            <TermList
              ids={[
                'privacy.account',
                'privacy.ad',
                'privacy.contact',
                'privacy.marks',
                'privacy.community',
                'privacy.reports',
                'privacy.removals',
                'privacy.visits',
              ]}
            />
          ),
        },
        {
          id: 'privacy.device',
          body: (
            <>
              <p>{t('privacy.device.intro')}</p>
              <StoredOnDevice />
              <p>{t('privacy.device.choice')}</p>
              <Button size="small" onClick={forgetCookieChoice}>
                {t('privacy.device.change')}
              </Button>
            </>
          ),
        },
        { id: 'privacy.not', body: <TextList ids={['privacy.not.1', 'privacy.not.2', 'privacy.not.3']} /> },
        {
          id: 'privacy.long',
          body: (
            <TermList
              ids={[
                'privacy.long.ad',
                'privacy.long.posts',
                'privacy.long.account',
                'privacy.long.session',
                'privacy.long.history',
              ]}
            />
          ),
        },
        { id: 'privacy.safe', body: <p>{t('privacy.safe')}</p> },
        {
          id: 'privacy.rights',
          body: (
            <>
              <p>{t('privacy.rights.intro')}</p>
              <TextList ids={['privacy.rights.1', 'privacy.rights.2', 'privacy.rights.3', 'privacy.rights.4']} />
              <MailText id="privacy.rights.how" />
            </>
          ),
        },
      ]}
    />
  );
}
