// Runs before module.mjs, whose functions are there already and whose constants are not.
import { declared, constant } from './module.mjs';

export let later = declared();
try {
  constant();
} catch (error) {
  later += ' ' + error.name;
}
export const other = () => later || 'none';
