// Messages of every project.
import { app } from './app';
import { folder } from './folder';
import { graph } from './graph';
import { hub } from './hub';
import { pages } from './pages';
import { palette } from './palette';
import { reading } from './reading';
import { settings } from './settings';
import { shell } from './shell';

export default { app, folder, graph, hub, pages, palette, reading, settings, shell };
