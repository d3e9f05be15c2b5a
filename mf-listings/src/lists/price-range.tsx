import { useId, useState } from 'react';
import { classNames, layout, TextInput } from '@alpenglow/ui';
import { useText } from './text.ts';
import { finishPrices, followPrices, toPriceTexts, typePrice, type PriceEdit, type Prices } from './price-edit.ts';
import styles from './filter-bar.module.css';

export interface PriceRangeProps {
  readonly value: Prices;
  /**
   * Called at every change of a price, so that no typed price is lost. While the visitor types, a partial price is
   * already a valid filter.
   */
  readonly onChange: (prices: Prices) => void;
  /** Called when the visitor presses Enter or leaves a field. */
  readonly onDone?: () => void;
}

/** No price with separators, decimals and a currency sign is longer, e.g. `CHF 12'500.00`. */
const PRICE_TEXT_MAX = 15;
/** The characters that no amount contains. Letters are those of currencies and of `2k`. */
const NOT_IN_AMOUNTS = /[^\p{L}\d.,'’‘´\x60\s\p{Sc}–—-]/gu;

/** Two fields for a price range in whole dollars. The labels are shown as the placeholders of the fields. */
export function PriceRange({ value, onChange, onDone }: PriceRangeProps) {
  const t = useText();
  const hintId = useId();
  const [edit, setEdit] = useState<PriceEdit | null>(null);
  const [followed, setFollowed] = useState(value);
  if (followed.minPrice !== value.minPrice || followed.maxPrice !== value.maxPrice) {
    setFollowed(value);
    if (edit) setEdit(followPrices(edit, value));
  }
  const texts = edit ?? toPriceTexts(value);
  const finish = () => {
    setEdit(finishPrices);
    onDone?.();
  };
  const input = (name: 'from' | 'to', label: string) => (
    <TextInput
      inputMode="decimal"
      maxLength={PRICE_TEXT_MAX}
      aria-label={label}
      placeholder={label}
      value={texts[name]}
      onChange={({ target }) => {
        const typed = typePrice(edit, value, { [name]: target.value.replaceAll(NOT_IN_AMOUNTS, '') });
        setEdit(typed.edit);
        if (typed.prices) onChange(typed.prices);
      }}
      onBlur={finish}
      onKeyDown={(event) => event.key === 'Enter' && finish()}
    />
  );
  return (
    <fieldset className={classNames(layout['stack1'], styles['prices'])} aria-describedby={hintId}>
      <legend>{t('filterPrice')}</legend>
      <div>
        {input('from', t('priceFrom'))}
        <span aria-hidden="true">–</span>
        {input('to', t('priceTo'))}
      </div>
      <p id={hintId}>{t('priceHint')}</p>
    </fieldset>
  );
}
