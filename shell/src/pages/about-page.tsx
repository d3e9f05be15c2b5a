import { PRODUCT_NAME } from '@alpenglow/domain/contracts';
import { CONTACT_EMAIL } from '@alpenglow/ui';
import { TextPage } from './text-page.tsx';

export default function AboutPage() {
  return (
    <TextPage title="About" intro={`${PRODUCT_NAME} is the rose light on a mountain before night. It is also a quiet place for adults to find company.`}>
      <p>
        We are a small team in Switzerland. We think that ads for companionship, massage and similar services deserve what other trades take for granted: clear pages, honest dates, and respect for
        everyone on both sides of an ad.
      </p>
      <h2>How it works</h2>
      <p>
        Providers post one ad each, with up to five photos, in the city where they are. Visitors browse by state and city, without an account. New ads and changes appear at once, without a reload.
      </p>
      <h2>What we stand for</h2>
      <ul>
        <li>Adults only, and only by choice.</li>
        <li>Discretion: no trackers, no third parties, no data for sale.</li>
        <li>GDPR-compliant and hosted in Switzerland.</li>
        <li>One ad per provider, so that nobody can drown out the others.</li>
      </ul>
      <h2 id="help">If you are in danger or being forced</h2>
      <p>You are not alone, and you have done nothing wrong. These services are free and treat what you tell them in confidence.</p>
      <dl>
        <dt>Emergency</dt>
        <dd>
          United States <a href="tel:911">911</a>, Europe <a href="tel:112">112</a>, Switzerland <a href="tel:117">117</a>
        </dd>
        <dt>National Human Trafficking Hotline (United States, day and night)</dt>
        <dd>
          <a href="tel:+18883737888">1-888-373-7888</a>, or text 233733
        </dd>
        <dt>Victim support (Switzerland)</dt>
        <dd>
          <a href="https://www.opferhilfe-schweiz.ch/" rel="noopener noreferrer">
            opferhilfe-schweiz.ch
          </a>
        </dd>
      </dl>
      <h2>Write to us</h2>
      <p>
        <a href={`mailto:${CONTACT_EMAIL}`}>{CONTACT_EMAIL}</a>
      </p>
    </TextPage>
  );
}
