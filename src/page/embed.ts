import './app.css';
import { mountPage } from './live/mount-page.js';
import Embed from './view/Embed.svelte';

// The last part of the path names the panel, like the files in the folder embed.
const panel = location.pathname.split('/').at(-1) ?? '';
mountPage(Embed, { panel });
