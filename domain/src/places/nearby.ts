import coordinates from './coordinates.json' with { type: 'json' };
import { STATES } from './places.ts';

/** A city and its distance from another city in kilometers, measured along the surface of the earth. */
export interface NearbyCity {
  readonly state: string;
  readonly city: string;
  readonly distance_km: number;
}

/** Latitude and longitude in degrees. The precision of 0.01 degrees is about one kilometer. */
type Coordinates = readonly [latitude: number, longitude: number];

/** Cities of other states are nearby up to this distance. All cities of the same state are nearby. */
const NEARBY_MAX_km = 250;
const EARTH_RADIUS_km = 6_371;

/**
 * Returns all cities of the same state, including the city itself, and the cities of other states nearby. The
 * nearest city comes first. Returns an empty list for an unknown city.
 * @param state the code of the state, as in `places.json`
 * @param city the name of the city, as in `places.json`
 */
export function listNearbyCities(state: string, city: string): readonly NearbyCity[] {
  const center = findCoordinates(state, city);
  if (!center) return [];
  return STATES.flatMap(({ code, cities }) =>
    cities.flatMap((name): readonly NearbyCity[] => {
      const position = findCoordinates(code, name);
      if (!position) return [];
      const distance_km = measureDistance_km(center, position);
      return code === state || distance_km <= NEARBY_MAX_km ? [{ state: code, city: name, distance_km }] : [];
    }),
  ).toSorted((one, other) => one.distance_km - other.distance_km);
}

function findCoordinates(state: string, city: string): Coordinates | null {
  const states: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>> = coordinates;
  const [latitude, longitude] = states[state]?.[city] ?? [];
  return latitude === undefined || longitude === undefined ? null : [latitude, longitude];
}

/** Returns the distance of two points by the haversine formula. */
function measureDistance_km(one: Coordinates, other: Coordinates): number {
  const toRadians = (degrees: number) => (degrees * Math.PI) / 180;
  const haversine = (radians: number) => Math.sin(radians / 2) ** 2;
  const [latitude, longitude] = one.map(toRadians) as [number, number];
  const [otherLatitude, otherLongitude] = other.map(toRadians) as [number, number];
  const share =
    haversine(otherLatitude - latitude) +
    Math.cos(latitude) * Math.cos(otherLatitude) * haversine(otherLongitude - longitude);
  return 2 * EARTH_RADIUS_km * Math.asin(Math.sqrt(share));
}
