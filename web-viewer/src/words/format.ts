// Numbers and dates as the language of the interface writes them.
import { locale } from './language.svelte';

export const number = (value: number): string => value.toLocaleString(locale());

/** A share of 1. */
export const percent = (share: number): string => share.toLocaleString(locale(), { style: 'percent' });

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toLocaleString(locale(), { maximumFractionDigits: bytes < 1e7 ? 1 : 0 })} MB`;

function written(time: string, how: Intl.DateTimeFormatOptions): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? '' : date.toLocaleString(locale(), how);
}

/** Empty if the time is invalid, as in the following function. */
export const shortDate = (time: string): string => written(time, { year: 'numeric', month: 'short', day: 'numeric' });

export const dateAndTime = (time: string): string => written(time, { dateStyle: 'medium', timeStyle: 'short' });

export const timeOfDay = (time: string): string => written(time, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
