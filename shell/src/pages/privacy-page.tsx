import { PRODUCT_NAME } from '@alpenglow/domain/contracts';
import { CONTACT_EMAIL } from '@alpenglow/ui';
import { TextPage } from './text-page.tsx';

export default function PrivacyPage() {
  return (
    <TextPage title="Privacy" intro="We collect little, we say what, and we keep it in Switzerland. Nothing on this site calls a third party.">
      <h2>What we hold</h2>
      <dl>
        <dt>Your account</dt>
        <dd>E-mail address, display name, age, whether you are a client or a provider, and a password that only its owner can read. Your e-mail address is never shown to others.</dd>
        <dt>Your ad</dt>
        <dd>What you write and the photos you upload. Location data inside photos is removed, and the original files are deleted once smaller copies are made.</dd>
        <dt>Your contact details</dt>
        <dd>A phone number or social profile you put into your ad is shown on that ad alone, after a click, and never in lists.</dd>
        <dt>On your device</dt>
        <dd>Your sign-in, your favorites, and the choices you made when you entered.</dd>
      </dl>
      <h2>What we do not do</h2>
      <ul>
        <li>No advertising networks, no trackers, no fonts or scripts from elsewhere.</li>
        <li>No sale of data, to anyone.</li>
        <li>No visit counting unless you have accepted it, and then without third parties.</li>
      </ul>
      <h2>How it is protected</h2>
      <p>What identifies a person is encrypted with a key of its own for each account. When an account is erased, its key is destroyed, and what it protected cannot be read any more, not even from a backup.</p>
      <h2>Your rights</h2>
      <p>
        Under the Swiss Data Protection Act and the GDPR you may see what we hold about you, correct it, take it with you, or have it erased. Write to{' '}
        <a href={`mailto:${CONTACT_EMAIL}`}>{CONTACT_EMAIL}</a> from the address of your account. We answer within 30 days.
      </p>
      <h2>Cookies</h2>
      <p>
        {PRODUCT_NAME} needs your browser’s storage to keep you signed in and to remember your choices. Anything beyond that happens only if you choose ‘Accept all’.
      </p>
    </TextPage>
  );
}
