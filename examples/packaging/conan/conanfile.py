"""Conan 2 recipe: a package of the headers, from the clone that holds this file."""

from os.path import join

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy


class Hbm(ConanFile):
    name = "hbm"
    version = "0.1.0"
    description = "Policy-based memory managers for accelerator high-bandwidth memory"
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    def export_sources(self):
        clone = join(self.recipe_folder, "..", "..", "..")
        copy(self, "*", join(clone, "include"), join(self.export_sources_folder, "include"))

    def validate(self):
        check_min_cppstd(self, 20)

    def package(self):
        copy(self, "*", join(self.source_folder, "include"), join(self.package_folder, "include"))

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
