import { createContext } from 'react';
import type { Place } from '../places.ts';

/** Where a new thread was begun; null: nowhere in particular. */
export const BegunAt = createContext<Place | null>(null);
