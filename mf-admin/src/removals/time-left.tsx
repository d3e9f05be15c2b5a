import { Badge, useNow } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { hoursLeft } from './api.ts';

/** Fewer hours than this are shown as urgent. The first warning of staff leaves as many hours. */
const URGENT_h = 24;

/** The time left until a request must be decided. */
export function TimeLeft({ deadline }: { readonly deadline: string }) {
  const t = useText();
  const left = hoursLeft(deadline, useNow());
  return (
    <Badge tone={left < URGENT_h ? 'danger' : 'accent'}>
      {left < 0 ? t('removals.late', { hours: -left }) : t('removals.left', { hours: left })}
    </Badge>
  );
}
