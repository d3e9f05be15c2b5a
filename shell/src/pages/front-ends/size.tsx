import { useLocale } from '@alpenglow/ui';

/** A size in kB (1000 bytes); a dash where it is not known. */
export function Size({ bytes }: { readonly bytes: number | null }) {
  const locale = useLocale();
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit: 'kilobyte', maximumFractionDigits: 0 });
  return <span>{bytes === null ? '–' : format.format(bytes / 1000)}</span>;
}
