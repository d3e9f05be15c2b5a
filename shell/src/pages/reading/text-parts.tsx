import { CONTACT_EMAIL } from '@alpenglow/ui';
import { Fragment } from 'react';
import { Link } from 'react-router-dom';
import { RichText, useText, type TextId } from '../text.ts';

/** A list that shows one text per item. */
export function TextList({ ids }: { readonly ids: readonly TextId[] }) {
  const t = useText();
  return (
    <ul>
      {ids.map((id) => (
        <li key={id}>{t(id)}</li>
      ))}
    </ul>
  );
}

/** The id of a term. The text with the id `<term>Text` explains the term. */
type TermId = { [Id in TextId]: `${Id}Text` extends TextId ? Id : never }[TextId];

/** A list of terms and their explanations. */
export function TermList({ ids }: { readonly ids: readonly TermId[] }) {
  const t = useText();
  return (
    <dl>
      {ids.map((id) => (
        <Fragment key={id}>
          <dt>{t(id)}</dt>
          <dd>{t(`${id}Text`)}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

/**
 * A paragraph that can contain the e-mail address of the operator (`{email}` and `<mail>`), and links to the
 * user's profile page (`<profile>`) and to the decisions about the user's content (`<decisions>`), which have forms for
 * objections.
 */
export function MailText({ id }: { readonly id: TextId }) {
  return (
    <p>
      <RichText
        id={id}
        values={{ email: CONTACT_EMAIL }}
        components={{
          mail: <a href={`mailto:${CONTACT_EMAIL}`} />,
          profile: <Link to="/profile" />,
          decisions: <Link to="/account/decisions" />,
        }}
      />
    </p>
  );
}
