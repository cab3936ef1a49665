/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TENSORFMT_TENSORFMT_TAGS_H
#define TENSORFMT_TENSORFMT_TAGS_H

/* The one list of format tag names. The enumerators of tfmt_format_tag_t, those of
 * tensorfmt::memory::format_tag and the library's own string table are expanded from it; the
 * permutation and the blocks of a tag are derived from its name by the parser (doc/layout.md).
 * To add a tag, append X(next number, name) here. A number, once published, never changes. */

/* clang-format off */

/* X(number, canonical name) */
#define TFMT_FORMAT_TAGS(X) \
    X(2, a) X(3, ab) X(4, abc) X(5, abcd) X(6, abcde) X(7, abcdef) X(8, abcdefg) X(9, abcdefgh) \
    X(10, abcdefghi) X(11, abcdefghij) X(12, abcdefghijk) X(13, abcdefghijkl) X(14, ba) \
    X(15, acb) X(16, bac) X(17, bca) X(18, cab) X(19, cba) X(20, abdc) X(21, acbd) X(22, acdb) \
    X(23, adbc) X(24, adcb) X(25, bacd) X(26, bcda) X(27, cdab) X(28, cdba) X(29, dcab) \
    X(30, abced) X(31, abdec) X(32, acbde) X(33, acdeb) X(34, adecb) X(35, bacde) X(36, bcdea) \
    X(37, cdeab) X(38, cdeba) X(39, decab) X(40, abcdfe) X(41, abdefc) X(42, abdfce) \
    X(43, acbdef) X(44, adefcb) X(45, defcab) X(46, abcdegf) X(47, abcdefhg) X(48, abcdefgih) \
    X(49, abcdefghji) X(50, abcdefghikj) X(51, abcdefghijlk) X(52, Abc16a) X(53, ABc16a16b) \
    X(54, ABc32a32b) X(55, ABc4a4b) X(56, aBc16b) X(57, ABc16b16a) X(58, Abc4a) X(59, aBc32b) \
    X(60, aBc4b) X(61, ABc4b16a4b) X(62, ABc2b8a4b) X(63, ABc16b16a4b) X(64, ABc16b16a2b) \
    X(65, ABc4b4a) X(66, ABc8a16b2a) X(67, ABc8a8b) X(68, ABc8a4b) X(69, aBc8b) \
    X(70, ABc8b16a2b) X(71, BAc8a16b2a) X(72, ABc8b8a) X(73, Abcd16a) X(74, Abcd8a) \
    X(75, ABcd16a16b) X(76, Abcd32a) X(77, ABcd32a32b) X(78, aBcd16b) X(79, ABcd16b16a) \
    X(80, aBCd16b16c) X(81, aBCd16c16b) X(82, Abcd4a) X(83, aBcd32b) X(84, aBcd4b) \
    X(85, ABcd4b16a4b) X(86, ABcd16b16a4b) X(87, ABcd16b16a2b) X(88, ABcd4b4a) X(89, ABcd4a4b) \
    X(90, aBCd2c4b2c) X(91, aBCd4b8c2b) X(92, aBCd4c16b4c) X(93, aBCd2c8b4c) X(94, aBCd16c16b4c) \
    X(95, aBCd16c16b2c) X(96, aBCd4c4b) X(97, aBCd4b4c) X(98, ABcd8a16b2a) X(99, ABcd2b8a4b) \
    X(100, ABcd8a8b) X(101, ABcd8a4b) X(102, aBcd8b) X(103, aBCd4c8b2c) X(104, ABcd8b16a2b) \
    X(105, aBCd8b16c2b) X(106, BAcd8a16b2a) X(107, ABcd8b8a) X(108, aBCd8b8c) X(109, aBCd8b4c) \
    X(110, aBCd8c16b2c) X(111, ABcde8a16b2a) X(112, aCBd8b16c2b) X(113, aBCd8c8b) \
    X(114, Abcde16a) X(115, Abcde32a) X(116, ABcde16a16b) X(117, BAcde8a16b2a) \
    X(118, aBCd2b4c2b) X(119, ABcde4b16a4b) X(120, ABcde2b8a4b) X(121, aBcde16b) \
    X(122, ABcde16b16a) X(123, aBCde16b16c) X(124, aBCde16c16b) X(125, aBCde2c8b4c) \
    X(126, Abcde4a) X(127, aBcde32b) X(128, aBcde4b) X(129, ABcde4b4a) X(130, ABcde4a4b) \
    X(131, aBCde4b4c) X(132, aBCde2c4b2c) X(133, aBCde4b8c2b) X(134, aBCde4c16b4c) \
    X(135, aBCde16c16b4c) X(136, aBCde16c16b2c) X(137, aBCde4c4b) X(138, Abcde8a) \
    X(139, ABcde8a8b) X(140, ABcde8a4b) X(141, BAcde16b16a) X(142, aBcde8b) X(143, ABcde8b16a2b) \
    X(144, aBCde8b16c2b) X(145, aBCde4c8b2c) X(146, aCBde8b16c2b) X(147, ABcde8b8a) \
    X(148, ABcde32a32b) X(149, aBCde8b8c) X(150, aBCde8b4c) X(151, ABc4a8b8a4b) \
    X(152, ABcd4a8b8a4b) X(153, ABcde4a8b8a4b) X(154, BAc4b8a8b4a) X(155, BAcd4b8a8b4a) \
    X(156, BAcde4b8a8b4a) X(157, ABcd2a8b8a2b) X(158, aBCd4b8c8b4c) X(159, aBCde4b8c8b4c) \
    X(160, aBCde2b8c8b2c) X(161, aBCde8c16b2c) X(162, aBCde8c8b) X(163, aBCde2b4c2b) \
    X(164, aBcdef16b) X(165, aBCdef16b16c) X(166, aBCdef16c16b) X(167, aBCdef4c16b4c) \
    X(168, aBCdef2c8b4c) X(169, aBCdef4c8b2c) X(170, aBCdef2b4c2b) X(171, aBcdef4b) \
    X(172, aBCdef4c4b) X(173, aBCdef4b4c) X(174, aBCdef2c4b2c) X(175, aBCdef4b8c2b) \
    X(176, aBCdef8b8c) X(177, aBCdef8b4c) X(178, aBCdef8c16b2c) X(179, aBCdef4b8c8b4c) \
    X(180, aBCdef8b16c2b) X(181, aCBdef8b16c2b) X(182, aBCdef8c8b) X(183, aBdc16b) \
    X(184, aBdC16b2c) X(185, aBdC16b4c) X(186, aBdc4b) X(187, aBdc8b) X(188, aBdec16b) \
    X(189, aBdeC16b2c) X(190, aBdeC16b4c) X(191, aBdec32b) X(192, aBdec4b) X(193, aBdec8b) \
    X(194, aBdefc16b) X(195, aBdefC16b2c) X(196, aCBdef16c16b) X(197, aBdefc4b) X(198, aBdefc8b) \
    X(199, Abcdef16a) X(200, Abcdef32a) X(201, aBedc16b) X(202, Acb16a) X(203, AcB16a2b) \
    X(204, AcB16a4b) X(205, Acb4a) X(206, Acb8a) X(207, aCBd16b16c) X(208, aCBd16c16b) \
    X(209, aCBde16b16c) X(210, aCBde16c16b) X(211, Acdb16a) X(212, AcdB16a2b) X(213, AcdB16a4b) \
    X(214, Acdb32a) X(215, Acdb4a) X(216, Acdb8a) X(217, Acdeb16a) X(218, AcdeB16a2b) \
    X(219, Acdeb4a) X(220, Acdeb8a) X(221, Adcb16a) X(222, BAc16a16b) X(223, BAc16b16a) \
    X(224, BAcd16a16b) X(225, BAcd16b16a) X(226, aCBd4c8b8c4b) X(227, aCBde4c8b8c4b) \
    X(228, aCBdef4c8b8c4b) X(229, BAcde16a16b) X(230, aCBdef16b16c) X(231, ABc16b32a) \
    X(232, ABc16b64a) X(233, ABc4b32a4b) X(234, ABc4b64a4b) X(235, ABc8b32a2b) \
    X(236, ABc8b64a2b) X(237, AB16b16a) X(238, AB16b32a) X(239, AB16b64a) X(240, AB8b16a2b) \
    X(241, AB8b32a2b) X(242, AB8b64a2b) X(243, AB4b16a4b) X(244, AB4b32a4b) X(245, AB4b64a4b) \
    X(246, AB16b16a4b) X(247, ABcd16b32a) X(248, ABcd16b64a) X(249, ABcd4b32a4b) \
    X(250, ABcd4b64a4b) X(251, ABcd8b32a2b) X(252, ABcd8b64a2b) X(253, ABcde4b32a4b) \
    X(254, ABcde4b64a4b) X(255, ABcde16b16a4b) X(256, ABcde16b16a2b) X(257, ABcde16b32a) \
    X(258, ABcde16b64a) X(259, ABcde8b32a2b) X(260, ABcde8b64a2b) X(261, aBCdef16c16b4c) \
    X(262, aBCdef16c16b2c) X(263, AB32a32b8a4b) X(264, AB8a4b) X(265, AB32a32b8a2b) \
    X(266, AB8a2b) X(267, abDc32d) X(268, abDC32d4c) X(269, abdEc32e) X(270, abdEC32e2c) \
    X(271, abdEC32e4c) X(272, aBdefC16b4c) X(273, AcdeB16a4b) X(274, ABcd16a16b2a) \
    X(275, ABc16a16b2a) X(276, aBCd16b16c2b) X(277, aBCde16b16c2b) X(278, Acb32a) \
    X(279, AcB32a2b) X(280, AcB32a4b) X(281, Acb48a) X(282, AcB48a2b) X(283, AcB48a4b) \
    X(284, Acb64a) X(285, AcB64a2b) X(286, AcB64a4b) X(287, cBa2b) X(288, cBa4b) X(289, aBdc32b) \
    X(290, aBdC32b2c) X(291, aBdC32b4c) X(292, aBdc48b) X(293, aBdC48b2c) X(294, aBdC48b4c) \
    X(295, aBdc64b) X(296, aBdC64b2c) X(297, aBdC64b4c) X(298, adCb2c) X(299, adCb4c) \
    X(300, AcdB32a2b) X(301, AcdB32a4b) X(302, Acdb48a) X(303, AcdB48a2b) X(304, AcdB48a4b) \
    X(305, Acdb64a) X(306, AcdB64a2b) X(307, AcdB64a4b) X(308, cdBa2b) X(309, cdBa4b) \
    X(310, aBdeC32b2c) X(311, aBdeC32b4c) X(312, aBdec48b) X(313, aBdeC48b2c) X(314, aBdeC48b4c) \
    X(315, aBdec64b) X(316, aBdeC64b2c) X(317, aBdeC64b4c) X(318, adeCb2c) X(319, adeCb4c) \
    X(320, Acdeb32a) X(321, AcdeB32a2b) X(322, AcdeB32a4b) X(323, Acdeb48a) X(324, AcdeB48a2b) \
    X(325, AcdeB48a4b) X(326, Acdeb64a) X(327, AcdeB64a2b) X(328, AcdeB64a4b) X(329, cdeBa2b) \
    X(330, cdeBa4b) X(331, aBdefc32b) X(332, aBdefC32b2c) X(333, aBdefC32b4c) X(334, aBdefc48b) \
    X(335, aBdefC48b2c) X(336, aBdefC48b4c) X(337, aBdefc64b) X(338, aBdefC64b2c) \
    X(339, aBdefC64b4c) X(340, adefCb2c) X(341, adefCb4c) X(342, AB16b32a4b) X(343, AB16b48a4b) \
    X(344, AB16b64a4b) X(345, AB16b16a2b) X(346, AB16b32a2b) X(347, AB16b48a2b) \
    X(348, AB16b64a2b) X(349, ABc16b32a4b) X(350, ABc16b48a4b) X(351, ABc16b64a4b) \
    X(352, ABc16b32a2b) X(353, ABc16b48a2b) X(354, ABc16b64a2b) X(355, ABcd16b32a4b) \
    X(356, ABcd16b48a4b) X(357, ABcd16b64a4b) X(358, ABcd16b32a2b) X(359, ABcd16b48a2b) \
    X(360, ABcd16b64a2b) X(361, ABcde16b32a4b) X(362, ABcde16b48a4b) X(363, ABcde16b64a4b) \
    X(364, ABcde16b32a2b) X(365, ABcde16b48a2b) X(366, ABcde16b64a2b) X(367, ABc32a16b) \
    X(368, ABcd32a16b) X(369, ABcde32a16b) X(370, AB48a16b) X(371, AB48a32b) X(372, ABc40a16b) \
    X(373, ABc40a32b) X(374, aBC48b16c) X(375, aBC48b32c) X(376, ABcd40a16b) X(377, ABcd40a32b) \
    X(378, abCd32c) X(379, abdCe32c) X(380, abdCE32c2e) X(381, BA16a16b2a) X(382, BA16a32b2a) \
    X(383, BA16a48b2a) X(384, BA16a64b2a) X(385, BA16a16b4a) X(386, BA16a32b4a) \
    X(387, BA16a48b4a) X(388, BA16a64b4a) X(389, ABcd8a2b) X(390, aBdeC16c16b2c) \
    X(391, aBdeC16c16b4c) X(392, aBdefC16c16b2c) X(393, AcB16b16a2b) X(394, AcB16b16a4b) \
    X(395, AcdB16b16a2b) X(396, AcdB16b16a4b) X(397, AcdeB16b16a2b) X(398, aBdefC16c16b4c) \
    X(399, AcdeB16b16a4b) X(400, AcB16b32a2b) X(401, AcB16b32a4b) X(402, AcB16b48a2b) \
    X(403, AcB16b48a4b) X(404, AcB16b64a2b) X(405, AcB16b64a4b) X(406, aBdC16c16b2c) \
    X(407, aBdC16c16b4c) X(408, aBdC16c32b2c) X(409, aBdC16c32b4c) X(410, aBdC16c48b2c) \
    X(411, aBdC16c48b4c) X(412, aBdC16c64b2c) X(413, aBdC16c64b4c) X(414, AcdB16b32a2b) \
    X(415, AcdB16b32a4b) X(416, AcdB16b48a2b) X(417, AcdB16b48a4b) X(418, AcdB16b64a2b) \
    X(419, AcdB16b64a4b) X(420, aBdeC16c32b2c) X(421, aBdeC16c32b4c) X(422, aBdeC16c48b2c) \
    X(423, aBdeC16c48b4c) X(424, aBdeC16c64b2c) X(425, aBdeC16c64b4c) X(426, AcdeB16b32a2b) \
    X(427, AcdeB16b32a4b) X(428, AcdeB16b48a2b) X(429, AcdeB16b48a4b) X(430, AcdeB16b64a2b) \
    X(431, AcdeB16b64a4b) X(432, aBdefC16c32b2c) X(433, aBdefC16c32b4c) X(434, aBdefC16c48b2c) \
    X(435, aBdefC16c48b4c) X(436, aBdefC16c64b2c) X(437, aBdefC16c64b4c) X(438, decbA16a) \
    X(439, ABc4a2b) X(440, ABc8a2b) X(441, aBCd8b2c) X(442, ABcde4a2b) X(443, ABcde8a2b) \
    X(444, ABcde40a16b) X(445, ABcde40a32b) X(446, aBCde8b2c) X(447, ABcde4a8b8a2b) \
    X(448, ABcd4a8b8a2b) X(449, ABc4a8b8a2b) X(450, aBCdef4b8c8b2c) X(451, aBCde4b8c8b2c) \
    X(452, aBCd4b8c8b2c) X(453, BAcde4b8a8b2a) X(454, BAcd4b8a8b2a) X(455, BAc4b8a8b2a) \
    X(456, aCBdef4c8b8c2b) X(457, aCBde4c8b8c2b) X(458, aCBd4c8b8c2b) X(459, aBCdef8b2c) \
    X(460, AB32a16b) X(461, AB32a32b) X(462, BA4b8a8b2a) X(463, BA4b8a8b4a) X(464, aBC32b16c) \
    X(465, aBC32b32c) X(466, aCB4c8b8c2b) X(467, aCB4c8b8c4b) X(468, ABcd4a2b) \
    X(469, ABc2b8a16b4a) X(470, ABcd2b8a16b4a) X(471, ABcde2b8a16b4a) X(472, ABc2a8b16a4b) \
    X(473, ABc2a8b16a2b) X(474, ABc2b32a8b) X(475, ABcd2a8b16a4b) X(476, ABcd2a8b16a2b) \
    X(477, aCBd2c8b16c2b) X(478, ABcd2b32a8b) X(479, aBCd2c8b16c2b) X(480, ABcde2a8b16a4b) \
    X(481, ABcde2a8b16a2b) X(482, aCBde2c8b16c2b) X(483, ABcde2b32a8b) X(484, aBC2b8c16b2c) \
    X(485, aBCd2b8c16b2c) X(486, aBCde2b8c16b2c) X(487, aBCdef2b8c16b2c) X(488, BAcde2b8a16b4a) \
    X(489, BAcd2b8a16b4a) X(490, BAc2b8a16b4a) X(491, BAcde2b8a16b2a) X(492, BAcd2b8a16b2a) \
    X(493, BAc2b8a16b2a) X(494, aBCde2c8b16c2b) X(495, aBCdef2c8b16c2b) X(496, aCBdef2c8b16c2b) \
    X(497, aBCd2b8c16b4c) X(498, aBCde2b8c16b4c) X(499, BA4b8a16b2a) X(500, BA4b8a16b4a) \
    X(501, aCB4c8b16c2b) X(502, aCB4c8b16c4b) X(503, BA16a16b) X(504, BA16a32b) X(505, BA16a48b) \
    X(506, BA16a64b) X(507, aCB16c2b) X(508, aCB16c4b) X(509, BA16b2a) X(510, BA16b4a) \
    X(511, aBC16b16c) X(512, aBC16b32c) X(513, AB16a16b) X(514, AB16a32b) X(515, ABcde16a16b2a) \
    X(516, aBCdef16b16c2b) X(517, Acedb16a) X(518, aBdfec16b) X(519, abdEC64e2c) \
    X(520, abdEC64e4c) X(521, aCB16b16c) X(522, aCB16b32c) X(523, aCB16b48c) X(524, aCB16b64c) \
    X(525, aCB16b16c2b) X(526, aCB16b32c2b) X(527, aCB16b48c2b) X(528, aCB16b64c2b) \
    X(529, aCB16b16c4b) X(530, aCB16b32c4b) X(531, aCB16b48c4b) X(532, aCB16b64c4b) \
    X(533, abCd4c) X(534, abCde4c) X(535, abCdef4c) X(536, abCde32c) X(537, abCdef32c) \
    X(538, ABcd16a32b) X(539, decbA8a) X(540, aCdefB16b32c2b) X(541, aCdefB16b32c4b) \
    X(542, aCdefB16b48c2b) X(543, aCdefB16b48c4b) X(544, aCdefB16b64c2b) X(545, aCdefB16b64c4b) \
    X(546, BcdeA16a32b2a) X(547, BcdeA16a32b4a) X(548, BcdeA16a48b2a) X(549, BcdeA16a48b4a) \
    X(550, BcdeA16a64b2a) X(551, BcdeA16a64b4a) X(552, aCdefb32c) X(553, aCdefB32c2b) \
    X(554, aCdefB32c4b) X(555, aCdefb48c) X(556, aCdefB48c2b) X(557, aCdefB48c4b) \
    X(558, aCdefb64c) X(559, aCdefB64c2b) X(560, aCdefB64c4b) X(561, Bcdea32b) \
    X(562, BcdeA32b2a) X(563, BcdeA32b4a) X(564, Bcdea48b) X(565, BcdeA48b2a) X(566, BcdeA48b4a) \
    X(567, Bcdea64b) X(568, BcdeA64b2a) X(569, BcdeA64b4a) X(570, Bca32b) X(571, BcA32b2a) \
    X(572, BcA32b4a) X(573, Bca48b) X(574, BcA48b2a) X(575, BcA48b4a) X(576, Bca64b) \
    X(577, BcA64b2a) X(578, BcA64b4a) X(579, aCdb32c) X(580, aCdB32c2b) X(581, aCdB32c4b) \
    X(582, aCdb48c) X(583, aCdB48c2b) X(584, aCdB48c4b) X(585, aCdb64c) X(586, aCdB64c2b) \
    X(587, aCdB64c4b) X(588, BcA16a16b2a) X(589, BcA16a16b4a) X(590, BcdA16a16b2a) \
    X(591, BcdA16a16b4a) X(592, BcdeA16a16b2a) X(593, BcdeA16a16b4a) X(594, aCdB16b16c2b) \
    X(595, aCdB16b16c4b) X(596, aCdeB16b16c2b) X(597, aCdeB16b16c4b) X(598, aCdefB16b16c2b) \
    X(599, aCdefB16b16c4b) X(600, BcA16a32b2a) X(601, BcA16a32b4a) X(602, BcA16a48b2a) \
    X(603, BcA16a48b4a) X(604, BcA16a64b2a) X(605, BcA16a64b4a) X(606, aCdB16b32c2b) \
    X(607, aCdB16b32c4b) X(608, aCdB16b48c2b) X(609, aCdB16b48c4b) X(610, aCdB16b64c2b) \
    X(611, aCdB16b64c4b) X(612, BcdA16a32b2a) X(613, BcdA16a32b4a) X(614, BcdA16a48b2a) \
    X(615, BcdA16a48b4a) X(616, BcdA16a64b2a) X(617, BcdA16a64b4a) X(618, aCdeB16b32c2b) \
    X(619, aCdeB16b32c4b) X(620, aCdeB16b48c2b) X(621, aCdeB16b48c4b) X(622, aCdeB16b64c2b) \
    X(623, aCdeB16b64c4b) X(624, Bca16b) X(625, BcA16b2a) X(626, BcA16b4a) X(627, Bcda16b) \
    X(628, BcdA16b2a) X(629, BcdA16b4a) X(630, Bcdea16b) X(631, BcdeA16b2a) X(632, BcdeA16b4a) \
    X(633, aCdb16c) X(634, aCdB16c2b) X(635, aCdB16c4b) X(636, aCdeb16c) X(637, aCdeB16c2b) \
    X(638, aCdeB16c4b) X(639, aCdefb16c) X(640, aCdefB16c2b) X(641, aCdefB16c4b) X(642, Bcda32b) \
    X(643, BcdA32b2a) X(644, BcdA32b4a) X(645, Bcda48b) X(646, BcdA48b2a) X(647, BcdA48b4a) \
    X(648, Bcda64b) X(649, BcdA64b2a) X(650, BcdA64b4a) X(651, aCdeb32c) X(652, aCdeB32c2b) \
    X(653, aCdeB32c4b) X(654, aCdeb48c) X(655, aCdeB48c2b) X(656, aCdeB48c4b) X(657, aCdeb64c) \
    X(658, aCdeB64c2b) X(659, aCdeB64c4b) X(660, Acb24a) X(661, Acdb24a) X(662, Acdeb24a) \
    X(663, aBdc24b) X(664, aBdec24b) X(665, aBdefc24b) X(666, abDc16d) X(667, abdEc16e) \
    X(668, abdCe16c) X(669, AcB24a2b) X(670, AcdB24a2b) X(671, AcdeB24a2b) X(672, aBdC24b2c) \
    X(673, aBdeC24b2c) X(674, aBdefC24b2c) X(675, AcB8a2b) X(676, AcdB8a2b) X(677, AcdeB8a2b) \
    X(678, aBdC8b2c) X(679, aBdeC8b2c) X(680, aBdefC8b2c) X(681, AB8b32a) X(682, ABc8b32a) \
    X(683, ABcd8b32a) X(684, ABcde8b32a) X(685, AB8b24a) X(686, ABc8b24a) X(687, ABcd8b24a) \
    X(688, ABcde8b24a) X(689, AB8b16a) X(690, ABc8b16a) X(691, ABcd8b16a) X(692, ABcde8b16a) \
    X(693, AB8b8a) X(694, AB4b8a4b) X(695, AB4b24a4b) X(696, ABc4b8a4b) X(697, ABc4b24a4b) \
    X(698, ABcd4b8a4b) X(699, ABcd4b24a4b) X(700, ABcde4b8a4b) X(701, ABcde4b24a4b) \
    X(702, AB8b24a2b) X(703, ABc8b24a2b) X(704, ABcd8b24a2b) X(705, ABcde8b24a2b) \
    X(706, AB8b8a2b) X(707, ABc8b8a2b) X(708, ABcd8b8a2b) X(709, ABcde8b8a2b) X(710, AcB24a4b) \
    X(711, AcdB24a4b) X(712, AcdeB24a4b) X(713, aBdC24b4c) X(714, aBdeC24b4c) \
    X(715, aBdefC24b4c) X(716, AcB8a4b) X(717, AcdB8a4b) X(718, AcdeB8a4b) X(719, aBdC8b4c) \
    X(720, aBdeC8b4c) X(721, aBdefC8b4c) X(722, Bca8b) X(723, BcA8b2a) X(724, Bcda8b) \
    X(725, BcdA8b2a) X(726, Bcdea8b) X(727, BcdeA8b2a) X(728, aCdb8c) X(729, aCdB8c2b) \
    X(730, aCdeb8c) X(731, aCdeB8c2b) X(732, aCdefb8c) X(733, aCdefB8c2b) X(734, Bca24b) \
    X(735, BcA24b2a) X(736, Bcda24b) X(737, BcdA24b2a) X(738, Bcdea24b) X(739, BcdeA24b2a) \
    X(740, aCdb24c) X(741, aCdB24c2b) X(742, aCdeb24c) X(743, aCdeB24c2b) X(744, aCdefb24c) \
    X(745, aCdefB24c2b) X(746, BcA8b4a) X(747, BcdA8b4a) X(748, BcdeA8b4a) X(749, aCdB8c4b) \
    X(750, aCdeB8c4b) X(751, aCdefB8c4b) X(752, BcA24b4a) X(753, BcdA24b4a) X(754, BcdeA24b4a) \
    X(755, aCdB24c4b) X(756, aCdeB24c4b) X(757, aCdefB24c4b) X(758, AB16b48a) X(759, ABc16b48a) \
    X(760, ABcd16b48a) X(761, ABcde16b48a) X(762, ABc16a4b) X(763, ABcd16a4b) X(764, ABcde16a4b) \
    X(765, defcbA16a) X(766, defcbA8a) X(767, AcB16b64a) X(768, AcdB16b64a) X(769, AcdeB16b64a) \
    X(770, AcB16b48a) X(771, AcdB16b48a) X(772, AcdeB16b48a) X(773, AcB16b32a) \
    X(774, AcdB16b32a) X(775, AcdeB16b32a) X(776, AcB16b16a) X(777, AcdB16b16a) \
    X(778, AcdeB16b16a) X(779, AcB8b32a) X(780, AcdB8b32a) X(781, AcdeB8b32a) X(782, AcB8b24a) \
    X(783, AcdB8b24a) X(784, AcdeB8b24a) X(785, AcB8b16a) X(786, AcdB8b16a) X(787, AcdeB8b16a) \
    X(788, AcB8b8a) X(789, AcdB8b8a) X(790, AcdeB8b8a) X(791, AcB8b64a2b) X(792, AcdB8b64a2b) \
    X(793, AcdeB8b64a2b) X(794, AcB8b32a2b) X(795, AcdB8b32a2b) X(796, AcdeB8b32a2b) \
    X(797, AcB8b24a2b) X(798, AcdB8b24a2b) X(799, AcdeB8b24a2b) X(800, AcB8b16a2b) \
    X(801, AcdB8b16a2b) X(802, AcdeB8b16a2b) X(803, AcB8b8a2b) X(804, AcdB8b8a2b) \
    X(805, AcdeB8b8a2b) X(806, AcB4b64a4b) X(807, AcdB4b64a4b) X(808, AcdeB4b64a4b) \
    X(809, AcB4b32a4b) X(810, AcdB4b32a4b) X(811, AcdeB4b32a4b) X(812, AcB4b24a4b) \
    X(813, AcdB4b24a4b) X(814, AcdeB4b24a4b) X(815, AcB4b16a4b) X(816, AcdB4b16a4b) \
    X(817, AcdeB4b16a4b) X(818, AcB4b8a4b) X(819, AcdB4b8a4b) X(820, AcdeB4b8a4b) X(821, Ab4a) \
    X(822, Ab8a) X(823, BA4b4a) X(824, BA8b4a) X(825, BA2a24b) X(826, aCB2b24c) X(827, BA2a8b) \
    X(828, aCB2b8c) X(829, BA8a24b) X(830, aCB8b24c) X(831, BA8a16b) X(832, aCB8b16c) \
    X(833, BA8a8b) X(834, aCB8b8c) X(835, bcad) X(836, cabd) X(837, dabc) X(838, Ab32a) \
    X(839, aCBd8b8c) X(840, aCBde8b8c) X(841, BAc8a8b) X(842, BAcd8a8b) X(843, BAcde8a8b) \
    X(844, aCBdef8b8c) X(845, abdEC16e4c) X(846, abDC16d4c) X(847, BA24b8a) X(848, aCB24c8b) \
    X(849, abDC24d8c) X(850, decbA4a) X(851, defcbA4a) X(852, abDC8d8c) X(853, abDC16d8c) \
    X(854, aCB8c8b) X(855, aCB16c8b) X(856, BA8b8a) X(857, BA16b8a) X(858, AB2a4b) \
    X(859, aCBd4b4c) X(860, aCBde4b4c) X(861, aCBdef4b4c) X(862, BAc4a4b) X(863, BAcd4a4b) \
    X(864, BAcde4a4b) X(865, BA12b8a) X(866, aCB12c8b) X(867, abDC12d8c) X(868, BA4b8a) \
    X(869, aCB4c8b) X(870, abDC4d8c) X(871, Abc8a) X(872, Abc32a) X(873, aBcdef8b) \
    X(874, aBcdef32b)

/* X(alias, canonical name): the domain names of the same layouts */
#define TFMT_FORMAT_TAG_ALIASES(X) \
    X(x, a) X(nc, ab) X(cn, ba) X(tn, ab) X(nt, ba) X(ncw, abc) X(nwc, acb) X(nchw, abcd) \
    X(nhwc, acdb) X(chwn, bcda) X(ncdhw, abcde) X(ndhwc, acdeb) X(oi, ab) X(io, ba) X(oiw, abc) \
    X(owi, acb) X(wio, cba) X(woi, cab) X(iwo, bca) X(oihw, abcd) X(hwio, cdba) X(hwoi, cdab) \
    X(ohwi, acdb) X(ihwo, bcda) X(iohw, bacd) X(oidhw, abcde) X(iodhw, bacde) X(dhwio, cdeba) \
    X(dhwoi, cdeab) X(odhwi, acdeb) X(idhwo, bcdea) X(goiw, abcd) X(gowi, abdc) X(wigo, dcab) \
    X(goihw, abcde) X(gohwi, abdec) X(hwigo, decab) X(giohw, acbde) X(goidhw, abcdef) \
    X(godhwi, abdefc) X(giodhw, acbdef) X(dhwigo, defcab) X(tnc, abc) X(ntc, bac) X(ldnc, abcd) \
    X(ldigo, abcde) X(ldgoi, abdec) X(ldio, abcd) X(ldoi, abdc) X(ldgo, abcd) \
    X(ldOi16o, abDc16d) X(ldOi32o, abDc32d) X(ldOI16o4i, abDC16d4c) X(ldOI32o4i, abDC32d4c) \
    X(ldIo32i, abCd32c) X(ldgOi16o, abdEc16e) X(ldgOI16o4i, abdEC16e4c) X(ldgOi32o, abdEc32e) \
    X(ldgOI32o2i, abdEC32e2c) X(ldgOI32o4i, abdEC32e4c) X(ldgOI64o2i, abdEC64e2c) \
    X(ldgOI64o4i, abdEC64e4c) X(ldgIo16i, abdCe16c) X(ldgIo32i, abdCe32c) \
    X(ldgIO32i2o, abdCE32c2e) X(nCdhw32c, aBcde32b) X(nCdhw16c, aBcde16b) X(nCdhw4c, aBcde4b) \
    X(nCdhw8c, aBcde8b) X(nChw32c, aBcd32b) X(nChw16c, aBcd16b) X(nChw4c, aBcd4b) \
    X(nChw8c, aBcd8b) X(nCw32c, aBc32b) X(nCw16c, aBc16b) X(nCw4c, aBc4b) X(nCw8c, aBc8b) \
    X(NCw16n16c, ABc16a16b) X(NCdhw16n16c, ABcde16a16b) X(NChw16n16c, ABcd16a16b) \
    X(NCw32n16c, ABc32a16b) X(NChw32n16c, ABcd32a16b) X(NChw16n32c, ABcd16a32b) \
    X(NCdhw32n16c, ABcde32a16b) X(NCw32n32c, ABc32a32b) X(NChw32n32c, ABcd32a32b) \
    X(NCdhw32n32c, ABcde32a32b) X(OI16i16o, AB16b16a) X(OI16i32o, AB16b32a) \
    X(OI16i48o, AB16b48a) X(OI16i64o, AB16b64a) X(OI8i8o2i, AB8b8a2b) X(OI8i16o2i, AB8b16a2b) \
    X(OI8i24o2i, AB8b24a2b) X(OI8i32o2i, AB8b32a2b) X(OI8i64o2i, AB8b64a2b) \
    X(OI4i8o4i, AB4b8a4b) X(OI4i16o4i, AB4b16a4b) X(OI4i24o4i, AB4b24a4b) \
    X(OI4i32o4i, AB4b32a4b) X(OI4i64o4i, AB4b64a4b) X(OI16i16o4i, AB16b16a4b) \
    X(OI8i32o, AB8b32a) X(OI8i24o, AB8b24a) X(OI8i16o, AB8b16a) X(OI8i8o, AB8b8a) \
    X(IOw4o4i, BAc4a4b) X(IOw8o8i, BAc8a8b) X(IOw16o16i, BAc16a16b) X(IOw16i16o, BAc16b16a) \
    X(OIw16i16o, ABc16b16a) X(OwI16i16o, AcB16b16a) X(OIw16i32o, ABc16b32a) \
    X(OwI16i32o, AcB16b32a) X(OIw16i48o, ABc16b48a) X(OwI16i48o, AcB16b48a) \
    X(OIw16i64o, ABc16b64a) X(OwI16i64o, AcB16b64a) X(OIw16o16i, ABc16a16b) X(Oiw16o, Abc16a) \
    X(Oiw32o, Abc32a) X(OIw4i8o4i, ABc4b8a4b) X(OwI4i8o4i, AcB4b8a4b) X(OIw4i16o4i, ABc4b16a4b) \
    X(OwI4i16o4i, AcB4b16a4b) X(OIw4i24o4i, ABc4b24a4b) X(OwI4i24o4i, AcB4b24a4b) \
    X(OIw4i32o4i, ABc4b32a4b) X(OwI4i32o4i, AcB4b32a4b) X(OIw4i64o4i, ABc4b64a4b) \
    X(OwI4i64o4i, AcB4b64a4b) X(OIw2i8o4i, ABc2b8a4b) X(OIw16i16o4i, ABc16b16a4b) \
    X(OIw16i16o2i, ABc16b16a2b) X(OIw16o16i2o, ABc16a16b2a) X(OIw4i4o, ABc4b4a) \
    X(OIw4o4i, ABc4a4b) X(Oiw4o, Abc4a) X(Oiw8o, Abc8a) X(OIw8i8o2i, ABc8b8a2b) \
    X(OwI8i8o2i, AcB8b8a2b) X(OIw8i16o2i, ABc8b16a2b) X(OwI8i16o2i, AcB8b16a2b) \
    X(OIw8i24o2i, ABc8b24a2b) X(OwI8i24o2i, AcB8b24a2b) X(OIw8i32o2i, ABc8b32a2b) \
    X(OwI8i32o2i, AcB8b32a2b) X(OIw8i64o2i, ABc8b64a2b) X(OwI8i64o2i, AcB8b64a2b) \
    X(OIw8i8o, ABc8b8a) X(OwI8i8o, AcB8b8a) X(OIw8o16i2o, ABc8a16b2a) X(IOw8o16i2o, BAc8a16b2a) \
    X(OIw8o8i, ABc8a8b) X(OIw8o4i, ABc8a4b) X(Owi16o, Acb16a) X(OwI16o2i, AcB16a2b) \
    X(OwI16o4i, AcB16a4b) X(Iwo8i, Bca8b) X(IwO8i2o, BcA8b2a) X(IwO8i4o, BcA8b4a) \
    X(Iwo16i, Bca16b) X(IwO16i2o, BcA16b2a) X(IwO16i4o, BcA16b4a) X(Iwo24i, Bca24b) \
    X(IwO24i2o, BcA24b2a) X(IwO24i4o, BcA24b4a) X(Owi4o, Acb4a) X(Owi8o, Acb8a) \
    X(OwI8o2i, AcB8a2b) X(OIw8i32o, ABc8b32a) X(OwI8i32o, AcB8b32a) X(OIw8i24o, ABc8b24a) \
    X(OwI8i24o, AcB8b24a) X(OIw8i16o, ABc8b16a) X(OwI8i16o, AcB8b16a) X(OwI8o4i, AcB8a4b) \
    X(IOhw16i16o, BAcd16b16a) X(IOhw4o4i, BAcd4a4b) X(IOhw8o8i, BAcd8a8b) \
    X(IOhw16o16i, BAcd16a16b) X(Ohwi16o, Acdb16a) X(OhwI16o2i, AcdB16a2b) \
    X(OhwI16o4i, AcdB16a4b) X(Ihwo8i, Bcda8b) X(IhwO8i2o, BcdA8b2a) X(IhwO8i4o, BcdA8b4a) \
    X(Ihwo16i, Bcda16b) X(IhwO16i2o, BcdA16b2a) X(IhwO16i4o, BcdA16b4a) X(Ihwo24i, Bcda24b) \
    X(IhwO24i2o, BcdA24b2a) X(IhwO24i4o, BcdA24b4a) X(Ohwi24o, Acdb24a) X(Ohwi32o, Acdb32a) \
    X(Ohwi4o, Acdb4a) X(Ohwi8o, Acdb8a) X(OhwI8o2i, AcdB8a2b) X(OhwI8o4i, AcdB8a4b) \
    X(OIhw16i16o, ABcd16b16a) X(OhwI16i16o, AcdB16b16a) X(OIhw16i32o, ABcd16b32a) \
    X(OhwI16i32o, AcdB16b32a) X(OIhw16i48o, ABcd16b48a) X(OhwI16i48o, AcdB16b48a) \
    X(OIhw16i64o, ABcd16b64a) X(OhwI16i64o, AcdB16b64a) X(OIhw16o16i, ABcd16a16b) \
    X(Oihw16o, Abcd16a) X(Oihw32o, Abcd32a) X(OIhw4i8o4i, ABcd4b8a4b) X(OhwI4i8o4i, AcdB4b8a4b) \
    X(OIhw4i16o4i, ABcd4b16a4b) X(OhwI4i16o4i, AcdB4b16a4b) X(OIhw4i24o4i, ABcd4b24a4b) \
    X(OhwI4i24o4i, AcdB4b24a4b) X(OIhw4i32o4i, ABcd4b32a4b) X(OhwI4i32o4i, AcdB4b32a4b) \
    X(OIhw4i64o4i, ABcd4b64a4b) X(OhwI4i64o4i, AcdB4b64a4b) X(OIhw16i16o4i, ABcd16b16a4b) \
    X(OIhw16i16o2i, ABcd16b16a2b) X(OIhw16o16i2o, ABcd16a16b2a) X(OIhw4i4o, ABcd4b4a) \
    X(OIhw4o4i, ABcd4a4b) X(Oihw4o, Abcd4a) X(Oihw8o, Abcd8a) X(OIhw8i8o2i, ABcd8b8a2b) \
    X(OhwI8i8o2i, AcdB8b8a2b) X(OIhw8i16o2i, ABcd8b16a2b) X(OhwI8i16o2i, AcdB8b16a2b) \
    X(OIhw8i32o2i, ABcd8b32a2b) X(OhwI8i32o2i, AcdB8b32a2b) X(OIhw8i24o2i, ABcd8b24a2b) \
    X(OhwI8i24o2i, AcdB8b24a2b) X(OIhw8i64o2i, ABcd8b64a2b) X(OhwI8i64o2i, AcdB8b64a2b) \
    X(OIhw8i8o, ABcd8b8a) X(OhwI8i8o, AcdB8b8a) X(OIhw8o16i2o, ABcd8a16b2a) \
    X(OIhw2i8o4i, ABcd2b8a4b) X(IOhw8o16i2o, BAcd8a16b2a) X(OIhw8o8i, ABcd8a8b) \
    X(OIhw8o4i, ABcd8a4b) X(Owhi16o, Adcb16a) X(OIhw8i32o, ABcd8b32a) X(OhwI8i32o, AcdB8b32a) \
    X(OIhw8i24o, ABcd8b24a) X(OhwI8i24o, AcdB8b24a) X(OIhw8i16o, ABcd8b16a) \
    X(OhwI8i16o, AcdB8b16a) X(Odhwi16o, Acdeb16a) X(OdhwI16o2i, AcdeB16a2b) \
    X(OdhwI16o4i, AcdeB16a4b) X(Idhwo8i, Bcdea8b) X(IdhwO8i2o, BcdeA8b2a) \
    X(IdhwO8i4o, BcdeA8b4a) X(Idhwo16i, Bcdea16b) X(IdhwO16i2o, BcdeA16b2a) \
    X(IdhwO16i4o, BcdeA16b4a) X(Idhwo24i, Bcdea24b) X(IdhwO24i2o, BcdeA24b2a) \
    X(IdhwO24i4o, BcdeA24b4a) X(Odhwi4o, Acdeb4a) X(Odhwi8o, Acdeb8a) X(OdhwI8o2i, AcdeB8a2b) \
    X(OdhwI8o4i, AcdeB8a4b) X(Odwhi16o, Acedb16a) X(OIdhw16i16o, ABcde16b16a) \
    X(OdhwI16i16o, AcdeB16b16a) X(OIdhw16i32o, ABcde16b32a) X(OdhwI16i32o, AcdeB16b32a) \
    X(OIdhw16i48o, ABcde16b48a) X(OdhwI16i48o, AcdeB16b48a) X(OIdhw16i64o, ABcde16b64a) \
    X(OdhwI16i64o, AcdeB16b64a) X(OIdhw16o16i, ABcde16a16b) X(Oidhw16o, Abcde16a) \
    X(Oidhw32o, Abcde32a) X(OIdhw4i4o, ABcde4b4a) X(OIdhw4o4i, ABcde4a4b) X(Oidhw4o, Abcde4a) \
    X(Oidhw8o, Abcde8a) X(OIdhw8i8o2i, ABcde8b8a2b) X(OdhwI8i8o2i, AcdeB8b8a2b) \
    X(OIdhw8i16o2i, ABcde8b16a2b) X(OdhwI8i16o2i, AcdeB8b16a2b) X(OIdhw8i32o2i, ABcde8b32a2b) \
    X(OdhwI8i32o2i, AcdeB8b32a2b) X(OIdhw8i24o2i, ABcde8b24a2b) X(OdhwI8i24o2i, AcdeB8b24a2b) \
    X(OIdhw8i64o2i, ABcde8b64a2b) X(OdhwI8i64o2i, AcdeB8b64a2b) X(OIdhw8i8o, ABcde8b8a) \
    X(OdhwI8i8o, AcdeB8b8a) X(OIdhw8o16i2o, ABcde8a16b2a) X(IOdhw8o16i2o, BAcde8a16b2a) \
    X(OIdhw4i8o4i, ABcde4b8a4b) X(OdhwI4i8o4i, AcdeB4b8a4b) X(OIdhw4i16o4i, ABcde4b16a4b) \
    X(OdhwI4i16o4i, AcdeB4b16a4b) X(OIdhw4i24o4i, ABcde4b24a4b) X(OdhwI4i24o4i, AcdeB4b24a4b) \
    X(OIdhw4i32o4i, ABcde4b32a4b) X(OdhwI4i32o4i, AcdeB4b32a4b) X(OIdhw4i64o4i, ABcde4b64a4b) \
    X(OdhwI4i64o4i, AcdeB4b64a4b) X(OIdhw16i16o4i, ABcde16b16a4b) \
    X(OIdhw16i16o2i, ABcde16b16a2b) X(OIdhw2i8o4i, ABcde2b8a4b) X(OIdhw8o8i, ABcde8a8b) \
    X(OIdhw8o4i, ABcde8a4b) X(IOdhw16i16o, BAcde16b16a) X(OIdhw4o8i8o4i, ABcde4a8b8a4b) \
    X(IOdhw4o4i, BAcde4a4b) X(IOdhw8o8i, BAcde8a8b) X(IOdhw16o16i, BAcde16a16b) \
    X(OIdhw16o16i2o, ABcde16a16b2a) X(OIdhw8i32o, ABcde8b32a) X(OdhwI8i32o, AcdeB8b32a) \
    X(OIdhw8i24o, ABcde8b24a) X(OdhwI8i24o, AcdeB8b24a) X(OIdhw8i16o, ABcde8b16a) \
    X(OdhwI8i16o, AcdeB8b16a) X(Goiw16g, Abcd16a) X(Goiw8g, Abcd8a) X(Goiw4g, Abcd4a) \
    X(gIOw4o4i, aCBd4b4c) X(gIOw8o8i, aCBd8b8c) X(gIOw16o16i, aCBd16b16c) \
    X(gIOw16i16o, aCBd16c16b) X(gOIw16i16o, aBCd16c16b) X(gOIw16o16i, aBCd16b16c) \
    X(gOiw16o, aBcd16b) X(gOiw32o, aBcd32b) X(gOIw4i16o4i, aBCd4c16b4c) \
    X(gOIw2i8o4i, aBCd2c8b4c) X(gOIw16i16o4i, aBCd16c16b4c) X(gOIw16i16o2i, aBCd16c16b2c) \
    X(gOIw16o16i2o, aBCd16b16c2b) X(gOIw4i4o, aBCd4c4b) X(gOIw4o4i, aBCd4b4c) X(gOiw4o, aBcd4b) \
    X(gOiw8o, aBcd8b) X(gOIw8i16o2i, aBCd8c16b2c) X(gOIw8i8o, aBCd8c8b) \
    X(gOIw8o16i2o, aBCd8b16c2b) X(gIOw8o16i2o, aCBd8b16c2b) X(gOIw8o8i, aBCd8b8c) \
    X(gOIw8o4i, aBCd8b4c) X(gOwi16o, aBdc16b) X(gOwI16o2i, aBdC16b2c) X(gOwI16o4i, aBdC16b4c) \
    X(gIwo8i, aCdb8c) X(gIwO8i2o, aCdB8c2b) X(gIwO8i4o, aCdB8c4b) X(gIwo16i, aCdb16c) \
    X(gIwO16i2o, aCdB16c2b) X(gIwO16i4o, aCdB16c4b) X(gIwo24i, aCdb24c) X(gIwO24i2o, aCdB24c2b) \
    X(gIwO24i4o, aCdB24c4b) X(gOwi4o, aBdc4b) X(gOwi8o, aBdc8b) X(gOwI8o2i, aBdC8b2c) \
    X(gOwI8o4i, aBdC8b4c) X(Goiw32g, Abcd32a) X(gOIw2i4o2i, aBCd2c4b2c) \
    X(gOIw2o4i2o, aBCd2b4c2b) X(gOIw4i8o2i, aBCd4c8b2c) X(gOIw4o8i2o, aBCd4b8c2b) \
    X(goIw4i, abCd4c) X(goIw32i, abCd32c) X(gIOhw16i16o, aCBde16c16b) X(gIOhw4o4i, aCBde4b4c) \
    X(gIOhw8o8i, aCBde8b8c) X(gIOhw16o16i, aCBde16b16c) X(gOhwi16o, aBdec16b) \
    X(gOhwI16o2i, aBdeC16b2c) X(gOhwI16o4i, aBdeC16b4c) X(gIhwo8i, aCdeb8c) \
    X(gIhwO8i2o, aCdeB8c2b) X(gIhwO8i4o, aCdeB8c4b) X(gIhwo16i, aCdeb16c) \
    X(gIhwO16i2o, aCdeB16c2b) X(gIhwO16i4o, aCdeB16c4b) X(gIhwo24i, aCdeb24c) \
    X(gIhwO24i2o, aCdeB24c2b) X(gIhwO24i4o, aCdeB24c4b) X(gOhwi32o, aBdec32b) \
    X(gOhwi24o, aBdec24b) X(gOhwI24o2i, aBdeC24b2c) X(gOhwI24o4i, aBdeC24b4c) \
    X(gOhwi4o, aBdec4b) X(gOhwi8o, aBdec8b) X(gOhwI8o2i, aBdeC8b2c) X(gOhwI8o4i, aBdeC8b4c) \
    X(Goihw16g, Abcde16a) X(gOIhw16i16o, aBCde16c16b) X(gOIhw16o16i, aBCde16b16c) \
    X(gOihw16o, aBcde16b) X(gOihw32o, aBcde32b) X(gOIhw2i8o4i, aBCde2c8b4c) \
    X(gOIhw4i16o4i, aBCde4c16b4c) X(gOIhw16i16o4i, aBCde16c16b4c) \
    X(gOIhw16i16o2i, aBCde16c16b2c) X(gOIhw16o16i2o, aBCde16b16c2b) X(gOIhw4i4o, aBCde4c4b) \
    X(gOIhw4o4i, aBCde4b4c) X(gOihw4o, aBcde4b) X(gOihw8o, aBcde8b) X(Goihw8g, Abcde8a) \
    X(Goihw4g, Abcde4a) X(gOIhw8i16o2i, aBCde8c16b2c) X(gOIhw8i8o, aBCde8c8b) \
    X(gOIhw8o16i2o, aBCde8b16c2b) X(gIOhw8o16i2o, aCBde8b16c2b) X(gOIhw8o8i, aBCde8b8c) \
    X(gOIhw8o4i, aBCde8b4c) X(Goihw32g, Abcde32a) X(gOwhi16o, aBedc16b) X(goIhw4i, abCde4c) \
    X(goIhw32i, abCde32c) X(OIw4o8i8o4i, ABc4a8b8a4b) X(OIhw4o8i8o4i, ABcd4a8b8a4b) \
    X(IOw4i8o8i4o, BAc4b8a8b4a) X(IOhw4i8o8i4o, BAcd4b8a8b4a) X(IOdhw4i8o8i4o, BAcde4b8a8b4a) \
    X(OIhw2o8i8o2i, ABcd2a8b8a2b) X(gOIw4o8i8o4i, aBCd4b8c8b4c) X(gOIhw4o8i8o4i, aBCde4b8c8b4c) \
    X(gOIdhw4o8i8o4i, aBCdef4b8c8b4c) X(gIOw4i8o8i4o, aCBd4c8b8c4b) \
    X(gIOhw4i8o8i4o, aCBde4c8b8c4b) X(gIOdhw4i8o8i4o, aCBdef4c8b8c4b) \
    X(gOIhw2o8i8o2i, aBCde2b8c8b2c) X(gOIhw2i4o2i, aBCde2c4b2c) X(gOIhw2o4i2o, aBCde2b4c2b) \
    X(gOIhw4i8o2i, aBCde4c8b2c) X(gOIhw4o8i2o, aBCde4b8c2b) X(gIOdhw16i16o, aCBdef16c16b) \
    X(gIOdhw4o4i, aCBdef4b4c) X(gIOdhw8o8i, aCBdef8b8c) X(gIOdhw16o16i, aCBdef16b16c) \
    X(gOdhwi16o, aBdefc16b) X(gOdhwI16o2i, aBdefC16b2c) X(gOdhwI16o4i, aBdefC16b4c) \
    X(gIdhwo8i, aCdefb8c) X(gIdhwO8i2o, aCdefB8c2b) X(gIdhwO8i4o, aCdefB8c4b) \
    X(gIdhwo16i, aCdefb16c) X(gIdhwO16i2o, aCdefB16c2b) X(gIdhwO16i4o, aCdefB16c4b) \
    X(gIdhwo24i, aCdefb24c) X(gIdhwO24i2o, aCdefB24c2b) X(gIdhwO24i4o, aCdefB24c4b) \
    X(gOdhwi4o, aBdefc4b) X(gOdhwi8o, aBdefc8b) X(gOdhwI8o2i, aBdefC8b2c) \
    X(gOdhwI8o4i, aBdefC8b4c) X(gOdwhi16o, aBdfec16b) X(gOIdhw16i16o, aBCdef16c16b) \
    X(gOIdhw4i16o4i, aBCdef4c16b4c) X(gOIdhw16i16o4i, aBCdef16c16b4c) \
    X(gOIdhw2i8o4i, aBCdef2c8b4c) X(gOIdhw16i16o2i, aBCdef16c16b2c) \
    X(gOIdhw16o16i, aBCdef16b16c) X(gOIdhw16o16i2o, aBCdef16b16c2b) X(gOidhw16o, aBcdef16b) \
    X(gOidhw32o, aBcdef32b) X(gOIdhw4i4o, aBCdef4c4b) X(gOIdhw4o4i, aBCdef4b4c) \
    X(gOidhw4o, aBcdef4b) X(gOidhw8o, aBcdef8b) X(gOIdhw8i16o2i, aBCdef8c16b2c) \
    X(gOIdhw8i8o, aBCdef8c8b) X(gOIdhw8o16i2o, aBCdef8b16c2b) X(gIOdhw8o16i2o, aCBdef8b16c2b) \
    X(gOIdhw8o8i, aBCdef8b8c) X(gOIdhw8o4i, aBCdef8b4c) X(Goidhw16g, Abcdef16a) \
    X(Goidhw32g, Abcdef32a) X(gOIdhw2i4o2i, aBCdef2c4b2c) X(gOIdhw4i8o2i, aBCdef4c8b2c) \
    X(gOIdhw2o4i2o, aBCdef2b4c2b) X(gOIdhw4o8i2o, aBCdef4b8c2b) X(goIdhw4i, abCdef4c) \
    X(goIdhw32i, abCdef32c) X(Owi24o, Acb24a) X(OwI24o2i, AcB24a2b) X(OwI24o4i, AcB24a4b) \
    X(Owi32o, Acb32a) X(OwI32o2i, AcB32a2b) X(OwI32o4i, AcB32a4b) X(Owi48o, Acb48a) \
    X(OwI48o2i, AcB48a2b) X(OwI48o4i, AcB48a4b) X(Owi64o, Acb64a) X(OwI64o2i, AcB64a2b) \
    X(OwI64o4i, AcB64a4b) X(Iwo32i, Bca32b) X(IwO32i2o, BcA32b2a) X(IwO32i4o, BcA32b4a) \
    X(Iwo48i, Bca48b) X(IwO48i2o, BcA48b2a) X(IwO48i4o, BcA48b4a) X(Iwo64i, Bca64b) \
    X(IwO64i2o, BcA64b2a) X(IwO64i4o, BcA64b4a) X(wIo2i, cBa2b) X(wIo4i, cBa4b) \
    X(gOwi24o, aBdc24b) X(gOwI24o2i, aBdC24b2c) X(gOwI24o4i, aBdC24b4c) X(gOwi32o, aBdc32b) \
    X(gOwI32o2i, aBdC32b2c) X(gOwI32o4i, aBdC32b4c) X(gOwi48o, aBdc48b) X(gOwI48o2i, aBdC48b2c) \
    X(gOwI48o4i, aBdC48b4c) X(gOwi64o, aBdc64b) X(gOwI64o2i, aBdC64b2c) X(gOwI64o4i, aBdC64b4c) \
    X(gIwo32i, aCdb32c) X(gIwO32i2o, aCdB32c2b) X(gIwO32i4o, aCdB32c4b) X(gIwo48i, aCdb48c) \
    X(gIwO48i2o, aCdB48c2b) X(gIwO48i4o, aCdB48c4b) X(gIwo64i, aCdb64c) X(gIwO64i2o, aCdB64c2b) \
    X(gIwO64i4o, aCdB64c4b) X(gwio, adcb) X(gwIo2i, adCb2c) X(gwIo4i, adCb4c) \
    X(OhwI24o, Acdb24a) X(OhwI24o2i, AcdB24a2b) X(OhwI24o4i, AcdB24a4b) X(OhwI32o, Acdb32a) \
    X(OhwI32o2i, AcdB32a2b) X(OhwI32o4i, AcdB32a4b) X(Ohwi48o, Acdb48a) X(OhwI48o2i, AcdB48a2b) \
    X(OhwI48o4i, AcdB48a4b) X(Ohwi64o, Acdb64a) X(OhwI64o2i, AcdB64a2b) X(OhwI64o4i, AcdB64a4b) \
    X(Ihwo32i, Bcda32b) X(IhwO32i2o, BcdA32b2a) X(IhwO32i4o, BcdA32b4a) X(Ihwo48i, Bcda48b) \
    X(IhwO48i2o, BcdA48b2a) X(IhwO48i4o, BcdA48b4a) X(Ihwo64i, Bcda64b) X(IhwO64i2o, BcdA64b2a) \
    X(IhwO64i4o, BcdA64b4a) X(hwIo2i, cdBa2b) X(hwIo4i, cdBa4b) X(gOhwI24o, aBdec24b) \
    X(gOhwI32o, aBdec32b) X(gOhwI32o2i, aBdeC32b2c) X(gOhwI32o4i, aBdeC32b4c) \
    X(gOhwi48o, aBdec48b) X(gOhwI48o2i, aBdeC48b2c) X(gOhwI48o4i, aBdeC48b4c) \
    X(gOhwi64o, aBdec64b) X(gOhwI64o2i, aBdeC64b2c) X(gOhwI64o4i, aBdeC64b4c) \
    X(gIhwo32i, aCdeb32c) X(gIhwO32i2o, aCdeB32c2b) X(gIhwO32i4o, aCdeB32c4b) \
    X(gIhwo48i, aCdeb48c) X(gIhwO48i2o, aCdeB48c2b) X(gIhwO48i4o, aCdeB48c4b) \
    X(gIhwo64i, aCdeb64c) X(gIhwO64i2o, aCdeB64c2b) X(gIhwO64i4o, aCdeB64c4b) X(ghwio, adecb) \
    X(ghwIo2i, adeCb2c) X(ghwIo4i, adeCb4c) X(Odhwi24o, Acdeb24a) X(OdhwI24o2i, AcdeB24a2b) \
    X(OdhwI24o4i, AcdeB24a4b) X(Odhwi32o, Acdeb32a) X(OdhwI32o2i, AcdeB32a2b) \
    X(OdhwI32o4i, AcdeB32a4b) X(Odhwi48o, Acdeb48a) X(OdhwI48o2i, AcdeB48a2b) \
    X(OdhwI48o4i, AcdeB48a4b) X(Odhwi64o, Acdeb64a) X(OdhwI64o2i, AcdeB64a2b) \
    X(OdhwI64o4i, AcdeB64a4b) X(Idhwo32i, Bcdea32b) X(IdhwO32i2o, BcdeA32b2a) \
    X(IdhwO32i4o, BcdeA32b4a) X(Idhwo48i, Bcdea48b) X(IdhwO48i2o, BcdeA48b2a) \
    X(IdhwO48i4o, BcdeA48b4a) X(Idhwo64i, Bcdea64b) X(IdhwO64i2o, BcdeA64b2a) \
    X(IdhwO64i4o, BcdeA64b4a) X(dhwIo2i, cdeBa2b) X(dhwIo4i, cdeBa4b) X(gOdhwi24o, aBdefc24b) \
    X(gOdhwI24o2i, aBdefC24b2c) X(gOdhwI24o4i, aBdefC24b4c) X(gOdhwi32o, aBdefc32b) \
    X(gOdhwI32o2i, aBdefC32b2c) X(gOdhwI32o4i, aBdefC32b4c) X(gOdhwi48o, aBdefc48b) \
    X(gOdhwI48o2i, aBdefC48b2c) X(gOdhwI48o4i, aBdefC48b4c) X(gOdhwi64o, aBdefc64b) \
    X(gOdhwI64o2i, aBdefC64b2c) X(gOdhwI64o4i, aBdefC64b4c) X(gIdhwo32i, aCdefb32c) \
    X(gIdhwO32i2o, aCdefB32c2b) X(gIdhwO32i4o, aCdefB32c4b) X(gIdhwo48i, aCdefb48c) \
    X(gIdhwO48i2o, aCdefB48c2b) X(gIdhwO48i4o, aCdefB48c4b) X(gIdhwo64i, aCdefb64c) \
    X(gIdhwO64i2o, aCdefB64c2b) X(gIdhwO64i4o, aCdefB64c4b) X(gdhwio, adefcb) \
    X(gdhwIo2i, adefCb2c) X(gdhwIo4i, adefCb4c) X(OI16i32o4i, AB16b32a4b) \
    X(OI16i48o4i, AB16b48a4b) X(OI16i64o4i, AB16b64a4b) X(OI16i16o2i, AB16b16a2b) \
    X(OI16i32o2i, AB16b32a2b) X(OI16i48o2i, AB16b48a2b) X(OI16i64o2i, AB16b64a2b) \
    X(OIw16i32o4i, ABc16b32a4b) X(OIw16i48o4i, ABc16b48a4b) X(OIw16i64o4i, ABc16b64a4b) \
    X(OIw16i32o2i, ABc16b32a2b) X(OIw16i48o2i, ABc16b48a2b) X(OIw16i64o2i, ABc16b64a2b) \
    X(OIhw16i32o4i, ABcd16b32a4b) X(OIhw16i48o4i, ABcd16b48a4b) X(OIhw16i64o4i, ABcd16b64a4b) \
    X(OIhw16i32o2i, ABcd16b32a2b) X(OIhw16i48o2i, ABcd16b48a2b) X(OIhw16i64o2i, ABcd16b64a2b) \
    X(OIdhw16i32o4i, ABcde16b32a4b) X(OIdhw16i48o4i, ABcde16b48a4b) \
    X(OIdhw16i64o4i, ABcde16b64a4b) X(OIdhw16i32o2i, ABcde16b32a2b) \
    X(OIdhw16i48o2i, ABcde16b48a2b) X(OIdhw16i64o2i, ABcde16b64a2b) X(OwI16i16o2i, AcB16b16a2b) \
    X(OwI16i16o4i, AcB16b16a4b) X(OhwI16i16o2i, AcdB16b16a2b) X(OhwI16i16o4i, AcdB16b16a4b) \
    X(OdhwI16i16o2i, AcdeB16b16a2b) X(OdhwI16i16o4i, AcdeB16b16a4b) X(IwO16o16i2o, BcA16a16b2a) \
    X(IwO16o16i4o, BcA16a16b4a) X(IhwO16o16i2o, BcdA16a16b2a) X(IhwO16o16i4o, BcdA16a16b4a) \
    X(IdhwO16o16i2o, BcdeA16a16b2a) X(IdhwO16o16i4o, BcdeA16a16b4a) \
    X(gOwI16i16o2i, aBdC16c16b2c) X(gOwI16i16o4i, aBdC16c16b4c) X(gOhwI16i16o2i, aBdeC16c16b2c) \
    X(gOhwI16i16o4i, aBdeC16c16b4c) X(gOdhwI16i16o2i, aBdefC16c16b2c) \
    X(gOdhwI16i16o4i, aBdefC16c16b4c) X(gIwO16o16i2o, aCdB16b16c2b) \
    X(gIwO16o16i4o, aCdB16b16c4b) X(gIhwO16o16i2o, aCdeB16b16c2b) \
    X(gIhwO16o16i4o, aCdeB16b16c4b) X(gIdhwO16o16i2o, aCdefB16b16c2b) \
    X(gIdhwO16o16i4o, aCdefB16b16c4b) X(OwI16i32o2i, AcB16b32a2b) X(OwI16i32o4i, AcB16b32a4b) \
    X(OwI16i48o2i, AcB16b48a2b) X(OwI16i48o4i, AcB16b48a4b) X(OwI16i64o2i, AcB16b64a2b) \
    X(OwI16i64o4i, AcB16b64a4b) X(IwO16o32i2o, BcA16a32b2a) X(IwO16o32i4o, BcA16a32b4a) \
    X(IwO16o48i2o, BcA16a48b2a) X(IwO16o48i4o, BcA16a48b4a) X(IwO16o64i2o, BcA16a64b2a) \
    X(IwO16o64i4o, BcA16a64b4a) X(gOwI16i32o2i, aBdC16c32b2c) X(gOwI16i32o4i, aBdC16c32b4c) \
    X(gOwI16i48o2i, aBdC16c48b2c) X(gOwI16i48o4i, aBdC16c48b4c) X(gOwI16i64o2i, aBdC16c64b2c) \
    X(gOwI16i64o4i, aBdC16c64b4c) X(gIwO16o32i2o, aCdB16b32c2b) X(gIwO16o32i4o, aCdB16b32c4b) \
    X(gIwO16o48i2o, aCdB16b48c2b) X(gIwO16o48i4o, aCdB16b48c4b) X(gIwO16o64i2o, aCdB16b64c2b) \
    X(gIwO16o64i4o, aCdB16b64c4b) X(OhwI16i32o2i, AcdB16b32a2b) X(OhwI16i32o4i, AcdB16b32a4b) \
    X(OhwI16i48o2i, AcdB16b48a2b) X(OhwI16i48o4i, AcdB16b48a4b) X(OhwI16i64o2i, AcdB16b64a2b) \
    X(OhwI16i64o4i, AcdB16b64a4b) X(IhwO16o32i2o, BcdA16a32b2a) X(IhwO16o32i4o, BcdA16a32b4a) \
    X(IhwO16o48i2o, BcdA16a48b2a) X(IhwO16o48i4o, BcdA16a48b4a) X(IhwO16o64i2o, BcdA16a64b2a) \
    X(IhwO16o64i4o, BcdA16a64b4a) X(gOhwI16i32o2i, aBdeC16c32b2c) \
    X(gOhwI16i32o4i, aBdeC16c32b4c) X(gOhwI16i48o2i, aBdeC16c48b2c) \
    X(gOhwI16i48o4i, aBdeC16c48b4c) X(gOhwI16i64o2i, aBdeC16c64b2c) \
    X(gOhwI16i64o4i, aBdeC16c64b4c) X(gIhwO16o32i2o, aCdeB16b32c2b) \
    X(gIhwO16o32i4o, aCdeB16b32c4b) X(gIhwO16o48i2o, aCdeB16b48c2b) \
    X(gIhwO16o48i4o, aCdeB16b48c4b) X(gIhwO16o64i2o, aCdeB16b64c2b) \
    X(gIhwO16o64i4o, aCdeB16b64c4b) X(OdhwI16i32o2i, AcdeB16b32a2b) \
    X(OdhwI16i32o4i, AcdeB16b32a4b) X(OdhwI16i48o2i, AcdeB16b48a2b) \
    X(OdhwI16i48o4i, AcdeB16b48a4b) X(OdhwI16i64o2i, AcdeB16b64a2b) \
    X(OdhwI16i64o4i, AcdeB16b64a4b) X(IdhwO16o32i2o, BcdeA16a32b2a) \
    X(IdhwO16o32i4o, BcdeA16a32b4a) X(IdhwO16o48i2o, BcdeA16a48b2a) \
    X(IdhwO16o48i4o, BcdeA16a48b4a) X(IdhwO16o64i2o, BcdeA16a64b2a) \
    X(IdhwO16o64i4o, BcdeA16a64b4a) X(gOdhwI16i32o2i, aBdefC16c32b2c) \
    X(gOdhwI16i32o4i, aBdefC16c32b4c) X(gOdhwI16i48o2i, aBdefC16c48b2c) \
    X(gOdhwI16i48o4i, aBdefC16c48b4c) X(gOdhwI16i64o2i, aBdefC16c64b2c) \
    X(gOdhwI16i64o4i, aBdefC16c64b4c) X(gIdhwO16o32i2o, aCdefB16b32c2b) \
    X(gIdhwO16o32i4o, aCdefB16b32c4b) X(gIdhwO16o48i2o, aCdefB16b48c2b) \
    X(gIdhwO16o48i4o, aCdefB16b48c4b) X(gIdhwO16o64i2o, aCdefB16b64c2b) \
    X(gIdhwO16o64i4o, aCdefB16b64c4b) X(hwioG16g, decbA16a) X(hwioG8g, decbA8a) \
    X(hwioG4g, decbA4a) X(dhwioG16g, defcbA16a) X(dhwioG8g, defcbA8a) X(dhwioG4g, defcbA4a) \
    X(NCdhw40n16c, ABcde40a16b) X(NCw40n16c, ABc40a16b) X(NChw40n16c, ABcd40a16b) \
    X(NCw40n32c, ABc40a32b) X(NChw40n32c, ABcd40a32b) X(NCdhw40n32c, ABcde40a32b) \
    X(OIdhw4o8i8o2i, ABcde4a8b8a2b) X(OIhw4o8i8o2i, ABcd4a8b8a2b) X(OIw4o8i8o2i, ABc4a8b8a2b) \
    X(gOIdhw4o8i8o2i, aBCdef4b8c8b2c) X(gOIhw4o8i8o2i, aBCde4b8c8b2c) \
    X(gOIw4o8i8o2i, aBCd4b8c8b2c) X(IOdhw4i8o8i2o, BAcde4b8a8b2a) X(IOhw4i8o8i2o, BAcd4b8a8b2a) \
    X(IOw4i8o8i2o, BAc4b8a8b2a) X(gIOdhw4i8o8i2o, aCBdef4c8b8c2b) \
    X(gIOhw4i8o8i2o, aCBde4c8b8c2b) X(gIOw4i8o8i2o, aCBd4c8b8c2b) X(NCw2c32n8c, ABc2b32a8b) \
    X(NChw2c32n8c, ABcd2b32a8b) X(NCdhw2c32n8c, ABcde2b32a8b) X(OIw2i8o16i4o, ABc2b8a16b4a) \
    X(OIhw2i8o16i4o, ABcd2b8a16b4a) X(OIdhw2i8o16i4o, ABcde2b8a16b4a) \
    X(OIw2o8i16o4i, ABc2a8b16a4b) X(OIw2o8i16o2i, ABc2a8b16a2b) X(IOw2i8o16i4o, BAc2b8a16b4a) \
    X(IOw2i8o16i2o, BAc2b8a16b2a) X(OIhw2o8i16o4i, ABcd2a8b16a4b) \
    X(OIhw2o8i16o2i, ABcd2a8b16a2b) X(IOhw2i8o16i4o, BAcd2b8a16b4a) \
    X(IOhw2i8o16i2o, BAcd2b8a16b2a) X(OIdhw2o8i16o4i, ABcde2a8b16a4b) \
    X(OIdhw2o8i16o2i, ABcde2a8b16a2b) X(IOdhw2i8o16i4o, BAcde2b8a16b4a) \
    X(IOdhw2i8o16i2o, BAcde2b8a16b2a) X(gOIw2o8i16o2i, aBCd2b8c16b2c) \
    X(gIOw2i8o16i2o, aCBd2c8b16c2b) X(gIOhw2i8o16i2o, aBCde2c8b16c2b) \
    X(gIOdhw2i8o16i2o, aBCdef2c8b16c2b) X(gOIhw2o8i16o2i, aBCde2b8c16b2c) \
    X(gOIdhw2o8i16o2i, aBCdef2b8c16b2c) X(gOIw2o8i16o4i, aBCd2b8c16b4c) \
    X(gOIhw2o8i16o4i, aBCde2b8c16b4c)

/* clang-format on */

#endif
