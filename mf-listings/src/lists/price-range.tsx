import { useId } from 'react';
import { classNames, layout, TextInput } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { parsePrice, toPriceRange, type ListFilter } from './filters.ts';
import { useTypedText } from './use-typed-text.ts';
import styles from './filter-bar.module.css';

/**
 * Time without typing after which a price is applied. It is long, because a partially typed price is already a valid
 * filter.
 */
const TYPING_PAUSE_ms = 1_200;

type Prices = Pick<ListFilter, 'minPrice' | 'maxPrice'>;

/** Two fields for a price range in whole dollars. */
export function PriceRange(props: { readonly value: Prices; readonly onChange: (prices: Prices) => void }) {
  const { value, onChange } = props;
  const t = useText();
  const hintId = useId();
  return (
    <fieldset className={classNames(layout['stack1'], styles['prices'])} aria-describedby={hintId}>
      <legend>{t('filterPrice')}</legend>
      <div>
        <PriceInput
          label={t('priceFrom')}
          value={value.minPrice}
          onChange={(price) => onChange(toPriceRange(price, value.maxPrice))}
        />
        <span aria-hidden="true">–</span>
        <PriceInput
          label={t('priceTo')}
          value={value.maxPrice}
          onChange={(price) => onChange(toPriceRange(value.minPrice, price))}
        />
      </div>
      <p id={hintId}>{t('priceHint')}</p>
    </fieldset>
  );
}

interface PriceInputProps {
  readonly label: string;
  readonly value: number | null;
  readonly onChange: (price: number | null) => void;
}

/** A price field. Its label is shown as the placeholder of the field. */
function PriceInput({ label, value, onChange }: PriceInputProps) {
  const { text, type, finish } = useTypedText(
    value === null ? '' : String(value),
    (newText) => onChange(parsePrice(newText)),
    TYPING_PAUSE_ms,
  );
  return (
    <TextInput
      inputMode="numeric"
      maxLength={5}
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(event) => type(event.target.value.replaceAll(/\D/gu, ''))}
      onBlur={finish}
      onKeyDown={(event) => event.key === 'Enter' && finish()}
    />
  );
}
