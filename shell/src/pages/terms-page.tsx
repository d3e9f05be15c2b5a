import { MINIMUM_AGE_years, PRODUCT_NAME } from '@alpenglow/domain/contracts';
import { CONTACT_EMAIL } from '@alpenglow/ui';
import { TextPage } from './text-page.tsx';

export default function TermsPage() {
  return (
    <TextPage title="Terms" intro="The rules for using this site, in words meant to be read.">
      <h2>Who may use {PRODUCT_NAME}</h2>
      <p>Adults only. You must be at least {MINIMUM_AGE_years} years old, and of age where you are. An account is for one person and may not be passed on.</p>
      <h2>What we are</h2>
      <p>{PRODUCT_NAME} publishes ads. We are not part of what people agree between themselves, take no share of it, and arrange no meetings.</p>
      <h2>If you post an ad</h2>
      <ul>
        <li>You act of your own free will and only for yourself.</li>
        <li>One ad at a time. Its text, photos and contact details are true and yours to publish.</li>
        <li>You keep to the laws of the place where you offer your services.</li>
        <li>Nothing explicit, in words or pictures, and no picture of anyone who has not agreed to it.</li>
      </ul>
      <h2>If you answer an ad</h2>
      <ul>
        <li>Be respectful. A no is a no, at any moment.</li>
        <li>Do not pass on what you learn about a person.</li>
        <li>Never pay in advance to somebody you have not met.</li>
      </ul>
      <h2>What we remove</h2>
      <p>Ads and accounts that break these rules. Anything that suggests a minor, force or trafficking is taken down at once and reported to the authorities. Whoever is affected is told why, and may object.</p>
      <h2>Law</h2>
      <p>
        Swiss law applies. Questions and objections go to <a href={`mailto:${CONTACT_EMAIL}`}>{CONTACT_EMAIL}</a>.
      </p>
    </TextPage>
  );
}
