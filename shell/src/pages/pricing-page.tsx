import { Badge, CONTACT_EMAIL, LinkButton, useUser } from '@alpenglow/ui';
import { isProvider } from '../session/roles.ts';
import { TextPage } from './text-page.tsx';
import styles from './pricing-page.module.css';

const INCLUDED = ['One ad in your city', 'Up to five photos', 'A bump to the top every 30 minutes', 'Changes at any time, deletion at once'];

export default function PricingPage() {
  const user = useUser();
  return (
    <TextPage title="Pricing" intro="Posting an ad is free in this version. When paid options come, they will be paid in Bitcoin only.">
      <section className={styles['plan']} aria-label="Ad">
        <header className={styles['head']}>
          <h2>Your ad</h2>
          <Badge tone="accent">Bitcoin only</Badge>
        </header>
        <p className={styles['price']}>
          <strong>Free</strong> no card, no trial, no renewal
        </p>
        <ul>
          {INCLUDED.map((item) => (
            <li key={item}>{item}</li>
          ))}
        </ul>
        {user && isProvider(user) && (
          <LinkButton to="/post-ad" variant="primary">
            Post Ad
          </LinkButton>
        )}
      </section>
      <h2>Why Bitcoin only</h2>
      <p>
        A card statement tells others more about you than we think it should. With Bitcoin there is no statement, no stored card and no subscription that goes on by itself.
      </p>
      <p>
        Browsing is free for everyone and will stay so. Questions? Write to <a href={`mailto:${CONTACT_EMAIL}`}>{CONTACT_EMAIL}</a>.
      </p>
    </TextPage>
  );
}
