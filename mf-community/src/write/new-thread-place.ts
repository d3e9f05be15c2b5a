import { createContext } from 'react';
import type { Place } from '../places.ts';

/** Place of the list from which the form for a new thread was opened. Null for the list of all places. */
export const NewThreadPlace = createContext<Place | null>(null);
