import { useId } from 'react';
import { TextInput } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { priceOf, pricesOf, type ListFilter } from './filters.ts';
import { useTyped } from './use-typed.ts';
import styles from './filter-bar.module.css';

/** The second digit of a price may be a while in coming, and half a price would be another filter. */
const TYPING_PAUSE_ms = 1_200;

type Prices = Pick<ListFilter, 'minPrice' | 'maxPrice'>;

/** From one price to another, in whole dollars. */
export function PriceRange({
  value,
  onChange,
}: {
  readonly value: Prices;
  readonly onChange: (prices: Prices) => void;
}) {
  const t = useText();
  const hintId = useId();
  return (
    <fieldset className={styles['prices']} aria-describedby={hintId}>
      <legend>{t('filterPrice')}</legend>
      <div>
        <PriceInput
          label={t('priceFrom')}
          value={value.minPrice}
          onChange={(price) => onChange(pricesOf(price, value.maxPrice))}
        />
        <span aria-hidden="true">–</span>
        <PriceInput
          label={t('priceTo')}
          value={value.maxPrice}
          onChange={(price) => onChange(pricesOf(value.minPrice, price))}
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

/** Its label stands in the field until something is typed: `from`, `to`. */
function PriceInput({ label, value, onChange }: PriceInputProps) {
  const { text, type, finish } = useTyped(
    value === null ? '' : String(value),
    (typed) => onChange(priceOf(typed)),
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
