import { Badge, LinkButton, useUser } from '@alpenglow/ui';
import { isProvider } from '../session/roles.ts';
import { MAIL_VALUES, MailLink } from './reading/mail-link.tsx';
import { TextPage } from './reading/text-page.tsx';
import { RichText, useText } from './text.ts';
import styles from './pricing-page.module.css';

export default function PricingPage() {
  const t = useText();
  return (
    <TextPage
      title={t('pricing.title')}
      intro={t('pricing.intro')}
      sections={[
        {
          id: 'who',
          title: t('pricing.who.title'),
          body: (
            <dl>
              <dt>{t('pricing.who.visitors')}</dt>
              <dd>{t('pricing.who.visitorsText')}</dd>
              <dt>{t('pricing.who.clients')}</dt>
              <dd>{t('pricing.who.clientsText')}</dd>
              <dt>{t('pricing.who.providers')}</dt>
              <dd>{t('pricing.who.providersText')}</dd>
            </dl>
          ),
        },
        {
          id: 'why',
          title: t('pricing.why.title'),
          body: (
            <>
              <p>{t('pricing.why.1')}</p>
              <p>{t('pricing.why.2')}</p>
              <p>
                <RichText id="pricing.questions" values={MAIL_VALUES} components={{ mail: <MailLink /> }} />
              </p>
            </>
          ),
        },
      ]}
    >
      <Plan />
    </TextPage>
  );
}

function Plan() {
  const t = useText();
  const user = useUser();
  return (
    <section className={styles['plan']} aria-labelledby="plan">
      <header className={styles['head']}>
        <h2 id="plan">{t('pricing.plan')}</h2>
        <Badge tone="accent">{t('pricing.bitcoin')}</Badge>
      </header>
      <p className={styles['price']}>
        <strong>{t('pricing.free')}</strong> {t('pricing.freeNote')}
      </p>
      <ul role="list" className={styles['included']}>
        <li>{t('pricing.item.1')}</li>
        <li>{t('pricing.item.2')}</li>
        <li>{t('pricing.item.3')}</li>
        <li>{t('pricing.item.4')}</li>
      </ul>
      {user && isProvider(user) && (
        <LinkButton to="/post-ad" variant="primary">
          {t('common.postAd')}
        </LinkButton>
      )}
    </section>
  );
}
