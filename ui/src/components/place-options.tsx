import { STATES, findState } from '@alpenglow/domain/contracts';

/** The options of a select element for a state. The value of each option is the state code. */
export function StateOptions() {
  return STATES.map(({ code, name }) => (
    <option key={code} value={code}>
      {name}
    </option>
  ));
}

/** The options of a select element for a city of `state`. If `state` is empty, there are no options. */
export function CityOptions({ state }: { readonly state: string }) {
  return (findState(state)?.cities ?? []).map((city) => (
    <option key={city} value={city}>
      {city}
    </option>
  ));
}
